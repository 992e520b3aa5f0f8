import { sleep } from 'n8n-workflow';

import type { Registry } from '../../registry/registry';
import type { TriggerMemory, WantedState } from '../memory/triggerMemory';

/**
 * In milliseconds. Waiting is counted in steps and not by the clock: in a process that is too busy to
 * take them in time, n8n takes longer as well to get from one version to the next.
 */
const WAITING_STEP = 100;

/** How long webhooks stay active for a publish that may come. In milliseconds; tests wait less. */
export const WAIT = {
	/**
	 * After an unpublish: to publish a change, n8n unpublishes the old version and publishes the new one a
	 * moment later, and says to neither why. Pausing at once would leave every company unwatched meanwhile.
	 */
	forChange: 5000,
	/** After a failed publish: n8n waits for up to eight seconds between two attempts. */
	forNextAttempt: 12_000,
	/** After one that took longer than n8n waits, so that the next has to set up only the rest. */
	afterTimeOut: 15 * 60_000,
};

export interface GoalSetup {
	/** To be watched; none pauses everything. */
	companies: string[];
	/** The service as the node's credential sees it at this moment. */
	registry: Promise<Registry>;
	/**
	 * Milliseconds to wait before anything is done, in case that something else is wanted by then. Rounded
	 * up to a whole number of waiting steps.
	 */
	delay?: number;
	/**
	 * Moves the account, and stops at its next step once the goal is superseded.
	 * @throws why it could not be done
	 */
	carryOut: (registry: Registry, goal: Goal) => Promise<void>;
	/** What is wanted when it could not be done, if anything. */
	onFailure: (reason: unknown) => GoalSetup | undefined;
}

/** What is wanted of a trigger at the service, and how that ends. */
export class Goal implements WantedState {
	readonly companies: ReadonlySet<string>;
	/** True once something else is wanted: stop at the next step. */
	isSuperseded = false;
	/** As n8n is to see it: settles when the account is as wanted, or cannot be. */
	readonly outcome: Promise<void>;
	private succeed: (as?: Promise<void>) => void = () => undefined;
	private fail: (reason: unknown) => void = () => undefined;
	private setup: GoalSetup | undefined;

	constructor(setup: GoalSetup) {
		this.setup = setup;
		this.companies = new Set(setup.companies);
		this.outcome = new Promise((resolve, reject) => {
			this.succeed = resolve;
			this.fail = reject;
		});
		// Nobody need listen to a goal, nor to its credential once it is superseded.
		this.outcome.catch(() => undefined);
		setup.registry.catch(() => undefined);
	}

	/** The service as this goal sees it, until it is settled. */
	get registry(): Promise<Registry> | undefined {
		return this.setup?.registry;
	}

	/** What n8n waits for is done, though work on the rest goes on. */
	settle(): void {
		this.succeed();
	}

	/**
	 * Something else is wanted now. An earlier publish ends as the later one does, and quietly when the
	 * trigger is unpublished: n8n answers a failure by undoing what the later run has done.
	 */
	supersede(by: Goal): void {
		this.isSuperseded = true;
		this.succeed(by.companies.size > 0 ? by.outcome : undefined);
		this.setup?.registry.then(
			(registry) => registry.stopWaiting(),
			() => undefined,
		);
	}

	/** Carries it out, and returns what is wanted next, if anything. Never rejects. */
	async carryOut(): Promise<Goal | undefined> {
		const { setup } = this;
		if (setup === undefined) return undefined;
		try {
			await this.wait(setup.delay ?? 0);
			const registry = await setup.registry;
			if (!this.isSuperseded) await setup.carryOut(registry, this);
			this.succeed();
			return undefined;
		} catch (reason) {
			if (this.isSuperseded) return undefined;
			this.fail(reason);
			const next = setup.onFailure(reason);
			return next && new Goal(next);
		} finally {
			// The process remembers what is wanted, but not n8n's workflow nor the credential.
			this.setup = undefined;
		}
	}

	private async wait(milliseconds: number): Promise<void> {
		for (let left = milliseconds; left > 0 && !this.isSuperseded; left -= WAITING_STEP) {
			await sleep(WAITING_STEP);
		}
	}
}

/**
 * From now on this is wanted of the trigger. One runner for each trigger and process moves the account
 * there, and starts over from what it has done so far whenever something else is wanted meanwhile: n8n
 * retries a failed publish by itself while the user publishes again, and abandons a slow one without
 * stopping it. Two runs side by side would create every webhook twice.
 *
 * @returns the goal, whose outcome need not be waited for
 */
export function want(memory: TriggerMemory, setup: GoalSetup): Goal {
	const goal = new Goal(setup);
	if (memory.wanted instanceof Goal) memory.wanted.supersede(goal);
	// An account that is left may ask to wait; what is wanted now must not wait with it.
	for (const left of memory.leftAccounts.values()) left.stopWaiting();
	memory.wanted = goal;
	memory.runner ??= run(memory, goal);
	return goal;
}

async function run(memory: TriggerMemory, first: Goal): Promise<void> {
	try {
		for (let goal: Goal | undefined = first; goal !== undefined; ) {
			const next: Goal | undefined = await goal.carryOut();
			if (memory.wanted === goal && next) memory.wanted = next;
			goal = memory.wanted === goal ? undefined : latest(memory);
		}
	} finally {
		// In the same step as the look at what is wanted: nothing that is wanted later goes unseen.
		memory.runner = undefined;
	}
}

function latest({ wanted }: TriggerMemory): Goal | undefined {
	return wanted instanceof Goal ? wanted : undefined;
}
