import { messageOf } from '../../registry/failure';
import { waitUnlessAborted } from '../../shared/async';
import { next, SIGN_OF_LIFE } from '../memory/phase';
import type { TriggerMemory } from '../memory/trigger';
import type { Messenger, Outcome } from '../messages/sendMessage';
import { WAITS } from './waits';

/** So many webhooks may be made before they are stored. */
const MAXIMUM_AT_STAKE = 100;

/** n8n cannot reach itself, so that what is made would not be stored. */
export class NotStored extends Error {}

/** Stores what a publish sets up while it goes on, by messages of the trigger to itself. */
export class Storing {
	private atStake = 0;
	/** What is being stored. A failure stays, for whoever wants to make something. */
	private underWay: Promise<void> | undefined;
	/** Once n8n has its answer, nothing else stores what is made. */
	private isRequired = false;
	/** Nothing is made while n8n is given its answer: what is under way then would be in no store. */
	private isHeld = false;
	private readonly working = new Set<Promise<unknown>>();
	private noteRequired: () => void = () => undefined;
	private readonly required = new Promise<void>((resolve) => (this.noteRequired = resolve));
	private readonly ended = new AbortController();

	constructor(
		private readonly messenger: Messenger,
		private readonly memory: TriggerMemory,
		private readonly signal: AbortSignal,
		private readonly warn: (what: string) => void,
	) {
		signal.addEventListener('abort', () => this.noteRequired());
		void this.giveSignsOfLife(AbortSignal.any([signal, this.ended.signal]));
	}

	note(): void {
		if (++this.atStake >= MAXIMUM_AT_STAKE) this.begin();
	}

	/** Makes something, once what was made before is stored. @throws NotStored, or the signal's reason */
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

	/** n8n has its answer, and saves what was written for it a moment later, which would overwrite a message. */
	noteAnswered(): void {
		const { writtenAt } = this.memory;
		const before = this.underWay?.catch(() => undefined);
		const isSaved = (outcome: Outcome) => outcome.taken && (outcome.writtenAt ?? 0) >= writtenAt;
		this.isRequired = true;
		this.noteRequired();
		this.carry(async () => {
			await before;
			await this.insist(async () => await this.messenger.ask(), isSaved);
		});
	}

	/** Has n8n show these words as a failed execution. @throws NotStored */
	async tell(words: string): Promise<void> {
		await this.required;
		await this.stored();
		await this.insist(async () => await this.messenger.tell(words));
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
			await this.required;
			await this.stored();
			await this.store();
		} catch (reason) {
			this.memory.phase = next(this.memory.phase, 'stop', this.memory.remaining);
			this.warn([words, messageOf(reason)].join(' '));
		}
	}

	async end(): Promise<void> {
		this.ended.abort();
		await this.underWay?.catch(() => undefined);
	}

	/** In time, also where little is made or nothing. */
	private async giveSignsOfLife(signal: AbortSignal): Promise<void> {
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
		underWay.then(
			() => {
				if (this.underWay === underWay) this.underWay = undefined;
			},
			() => undefined,
		);
	}

	/** @throws NotStored */
	private async stored(): Promise<void> {
		while (this.isRequired && this.underWay && !this.signal.aborted) await this.underWay;
	}

	private async store(): Promise<void> {
		this.atStake = 0;
		await this.insist(async () => await this.messenger.store());
	}

	/** Until n8n has its answer, one try is enough: n8n stores what is made with that. */
	private async insist(
		send: () => Promise<Outcome>,
		isEnough = ({ taken }: Outcome) => taken,
	): Promise<void> {
		const began = Date.now();
		for (;;) {
			const outcome = await send();
			if (isEnough(outcome) || this.signal.aborted || !this.isRequired) return;
			if (Date.now() - began >= WAITS.saved) {
				const why = outcome.taken ? 'it has not saved what was set up' : outcome.why;
				throw new NotStored(`n8n cannot reach its own address ${this.messenger.addresses}: ${why}`);
			}
			await waitUnlessAborted(WAITS.askSaved, this.signal);
		}
	}
}
