/**
 * One life-cycle run at a time per trigger and process.
 *
 * n8n abandons a slow `create` without stopping it and starts the next attempt beside it; a user
 * publishes again while n8n retries by itself. Two runs side by side would create every webhook
 * twice. So a run that finds another under way overtakes it: the earlier one stops at its next step
 * and remembers what it did, the later one goes on from there, and the earlier one shares its end.
 */
export interface Turn {
	/** True once a later run has asked for the turn: stop at the next step. */
	readonly overtaken: boolean;
	/** Called at that moment, to cut short what the run is waiting for. */
	onOvertaken?: () => void;
}

/** Thrown by a run that stops because a later one has overtaken it. */
export class Overtaken extends Error {}

type Purpose = 'publish' | 'unpublish';

interface RunningTurn {
	purpose: Purpose;
	overtakenBy: RunningTurn | undefined;
	/** Settles with the run's own work; never rejects. */
	ended: Promise<void>;
	/** Settles as n8n is to see it. */
	outcome: Promise<void>;
	/** What the run itself sees of its turn. */
	view: Turn;
}

const latest = new Map<string, RunningTurn>();

/** Whether a life-cycle run of this trigger is under way. */
export function isUnderWay(owner: string): boolean {
	return latest.has(owner);
}

/**
 * Runs `work` when the run before it has stopped.
 * A publish that is overtaken ends as the later publish does, and quietly when it was an unpublish
 * that overtook it: throwing would make n8n undo what the later run has done.
 */
export async function takeTurn(
	owner: string,
	purpose: Purpose,
	work: (turn: Turn) => Promise<void>,
): Promise<void> {
	const before = latest.get(owner);
	const turn: RunningTurn = {
		purpose,
		overtakenBy: undefined,
		ended: Promise.resolve(),
		outcome: Promise.resolve(),
		view: {
			get overtaken() {
				return turn.overtakenBy !== undefined;
			},
		},
	};
	if (before) {
		before.overtakenBy = turn;
		before.view.onOvertaken?.();
	}
	latest.set(owner, turn);

	const own = (async () => {
		await before?.ended;
		await work(turn.view);
	})();
	turn.ended = own.then(
		() => undefined,
		() => undefined,
	);
	turn.outcome = own.then(
		() => undefined,
		async (error: unknown) => {
			const { overtakenBy } = turn;
			if (!overtakenBy) throw error;
			if (purpose === 'publish' && overtakenBy.purpose === 'publish') await overtakenBy.outcome;
		},
	);
	try {
		await turn.outcome;
	} finally {
		if (latest.get(owner) === turn) latest.delete(owner);
	}
}
