import { messageOf } from '../../registry/failure';
import { waitUnlessAborted } from '../../shared/waitUnlessAborted';
import { next, SIGN_OF_LIFE } from '../memory/phase';
import type { TriggerMemory } from '../memory/trigger';
import type { Messenger, Outcome } from '../messages/sendMessage';
import { WAITS } from './waits';

/** So many webhooks may be made before they are stored, */
const MAXIMUM_AT_STAKE = 100;
/** but storing takes no more than about this part of the time. */
const SHARE_OF_TIME = 0.1;

/** n8n cannot reach itself, so that what is made would not be stored. */
export class NotStored extends Error {}

/** Stores what a publish sets up while it goes on, by messages of the trigger to itself. */
export class Storing {
	private atStake = 0;
	private storedAt = Date.now();
	private took = 0;
	private underWay: Promise<void> | undefined;
	/** Once n8n has its answer, nothing else stores what is made. */
	private isRequired = false;
	/** Nothing is made while n8n is given its answer: what is under way then would be in no store. */
	private isHeld = false;
	private readonly working = new Set<Promise<unknown>>();
	private noteRequired: () => void = () => undefined;
	private readonly required = new Promise<void>((resolve) => (this.noteRequired = resolve));
	private readonly ended = new AbortController();
	private readonly kept: Promise<void>;

	constructor(
		private readonly messenger: Messenger,
		private readonly memory: TriggerMemory,
		private readonly signal: AbortSignal,
		/** Writes a line to n8n's log. */
		private readonly warn: (what: string) => void,
	) {
		signal.addEventListener('abort', () => this.noteRequired());
		this.kept = this.keep(AbortSignal.any([signal, this.ended.signal]));
	}

	/** Something was made or changed that is to be stored. */
	note(): void {
		this.atStake++;
		const isTime = Date.now() - this.storedAt >= this.took / SHARE_OF_TIME;
		if (this.atStake >= MAXIMUM_AT_STAKE && isTime) this.begin();
	}

	/**
	 * Makes something, once what was made before is stored, where that is required.
	 * @throws NotStored, or the signal's reason
	 */
	async make<Made>(work: () => Promise<Made>): Promise<Made> {
		if (this.isHeld) await this.required;
		await this.stored();
		this.signal.throwIfAborted();
		const working = work();
		this.working.add(working);
		return await working.finally(() => this.working.delete(working));
	}

	/** Before n8n is given its answer: ends once nothing is being made, or soon where requests wait for their turn. */
	async hold(): Promise<void> {
		this.isHeld = true;
		await Promise.race([
			Promise.allSettled(this.working),
			waitUnlessAborted(WAITS.takeOver, this.signal),
		]);
	}

	/** The publish has failed: whoever waits to make something goes on, and is stopped. */
	release(): void {
		this.noteRequired();
	}

	/** @throws NotStored */
	private async stored(): Promise<void> {
		while (this.isRequired && this.underWay && !this.signal.aborted) await this.underWay;
	}

	/**
	 * n8n has its answer, and saves what was written for it a moment later: until then a message would be
	 * overwritten, and another process knows no key.
	 */
	noteAnswered(): void {
		const { writtenAt } = this.memory;
		const before = this.underWay?.catch(() => undefined);
		this.isRequired = true;
		this.noteRequired();
		const isSaved = (outcome: Outcome) => outcome.taken && (outcome.writtenAt ?? 0) >= writtenAt;
		this.carry(async () => {
			await before;
			await this.insist(async () => await this.messenger.ask(), isSaved);
		});
	}

	/**
	 * Stores what is known at the end.
	 * @throws NotStored
	 */
	async finish(): Promise<void> {
		await this.required;
		await this.stored();
		this.begin();
		await this.stored();
	}

	/**
	 * Has n8n show these words as a failed execution.
	 * @throws NotStored
	 */
	async tell(words: string): Promise<void> {
		await this.required;
		await this.stored();
		await this.insist(
			async () => await this.messenger.tell(words),
			({ taken }) => taken,
		);
	}

	/**
	 * Tells what was not done, if anything, and stores that no more is being done. Where n8n cannot reach
	 * itself, that is in the log, and the next delivery shows it.
	 */
	async close(words: string | undefined, failure?: unknown): Promise<void> {
		try {
			if (failure instanceof NotStored) throw failure;
			if (words !== undefined) await this.tell(words);
			if (this.signal.aborted) return;
			this.memory.phase = next(this.memory.phase, 'done', 0);
			await this.finish();
		} catch (reason) {
			this.memory.phase = next(this.memory.phase, 'stop', this.memory.remaining);
			this.warn([words, messageOf(reason)].join(' '));
		}
	}

	async end(): Promise<void> {
		this.ended.abort();
		await this.kept;
		await this.underWay?.catch(() => undefined);
	}

	/** In time, also where little is made or nothing. */
	private async keep(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			await waitUnlessAborted(SIGN_OF_LIFE.every, signal);
			if (!signal.aborted) this.begin();
		}
	}

	private begin(): void {
		if (this.underWay === undefined) this.carry(async () => await this.store());
	}

	private carry(work: () => Promise<void>): void {
		const underWay = work();
		this.underWay = underWay;
		// A failure stays, for whoever wants to make something.
		underWay.then(
			() => {
				if (this.underWay === underWay) this.underWay = undefined;
			},
			() => undefined,
		);
	}

	private async store(): Promise<void> {
		const began = Date.now();
		const { atStake } = this;
		const isStored = ({ taken }: Outcome) => taken;
		const outcome = await this.insist(async () => await this.messenger.store(), isStored);
		if (isStored(outcome)) this.atStake -= atStake;
		this.storedAt = Date.now();
		this.took = this.storedAt - began;
	}

	/** Until n8n has its answer, one try is enough: n8n stores what is made with that. */
	private async insist(
		send: () => Promise<Outcome>,
		isEnough: (outcome: Outcome) => boolean,
	): Promise<Outcome> {
		const began = Date.now();
		for (;;) {
			const outcome = await send();
			if (isEnough(outcome) || this.signal.aborted || !this.isRequired) return outcome;
			if (Date.now() - began >= WAITS.saved) {
				const why = outcome.taken ? 'it has not saved what was set up' : outcome.why;
				throw new NotStored(`n8n cannot reach its own address ${this.messenger.addresses}: ${why}`);
			}
			await waitUnlessAborted(WAITS.askSaved, this.signal);
		}
	}
}
