import { isPlainObject } from 'lodash';
import type { IHookFunctions, IN8nHttpFullResponse } from 'n8n-workflow';

import { NO_CONNECTION, reasonOf } from '../../registry/failure';
import { addressOf, localUrl } from '../identity/destination';
import type { TriggerIdentity } from '../identity/identity';
import type { TriggerMemory } from '../memory/trigger';
import { MESSAGE_HEADER, MESSAGE_PARAMETER } from './receiveMessage';
import { seal, type Message } from './seal';

/** For n8n's answer, in milliseconds. It saves before it answers. */
const FOR_ANSWER = 10_000;
/** So long the same words have the same number, by which they are shown once. They are taken for a minute. */
const SAME_WORDS = 45_000;
/** With this the trigger refuses a message, such as one that it has taken already. */
const REFUSED = 401;

/** What became of a message: taken, with when what was stored before was written, or why not. */
export type Outcome = { taken: true; writtenAt?: number } | { taken: false; why: string };

/** A message and its number, by which it counts once; in milliseconds since the epoch. */
interface Numbered {
	at: number;
	message: Message;
}

/** The end of the latest message of each workflow: n8n saves what all its triggers have stored as a whole. */
const underWay = new Map<string, Promise<unknown>>();

/** Ends with the message that is under way in a workflow, if there is one: n8n's life cycle writes next. */
export async function messagesEnded({ workflow }: TriggerIdentity): Promise<void> {
	while (underWay.has(workflow)) await underWay.get(workflow);
}

/** Sends the messages of one trigger to itself, one at a time in a workflow. */
export class Messenger {
	/** The one by which n8n was reached last comes first. */
	private readonly urls: string[];
	/** The words that were told last, and whether they may have arrived. */
	private told = { words: '', at: 0, mayHaveArrived: false };

	/** @param url n8n's production URL of the trigger */
	constructor(
		private readonly context: IHookFunctions,
		private readonly identity: TriggerIdentity,
		private readonly memory: TriggerMemory,
		url: string,
		/** Once aborted, no message is begun. */
		private readonly signal: AbortSignal,
	) {
		this.urls = [url, localUrl(url)];
	}

	/** In words, where n8n looks for itself. */
	get addresses(): string {
		return this.urls.map(addressOf).join(' and ');
	}

	/** What is stored of the trigger now. */
	async ask(): Promise<Outcome> {
		return await this.send(() => ({ at: this.memory.stamp(), message: { kind: 'ask' } }));
	}

	/** Stores what is known when it is the message's turn. */
	async store(): Promise<Outcome> {
		return await this.send(() => {
			const state = this.memory.toState();
			return { at: state.writtenAt, message: { kind: 'store', state } };
		});
	}

	/** Has n8n show these words as a failed execution. */
	async tell(words: string): Promise<Outcome> {
		return await this.send(() => {
			const { told, memory } = this;
			// After another message this number would be refused, whether it has arrived or not.
			const isLatest = words === told.words && told.at === memory.stamped;
			if (!isLatest || Date.now() - told.at > SAME_WORDS) {
				this.told = { words, at: memory.stamp(), mayHaveArrived: false };
			}
			return { at: this.told.at, message: { kind: 'tell', words } };
		});
	}

	private async send(compose: () => Numbered): Promise<Outcome> {
		const { workflow } = this.identity;
		// In one step: of two that wait for the same message, the second waits for the first.
		const before = underWay.get(workflow) ?? Promise.resolve();
		const sent = before.then(async () => await this.tryEach(compose));
		underWay.set(workflow, sent);
		return await sent.finally(() => {
			if (underWay.get(workflow) === sent) underWay.delete(workflow);
		});
	}

	private async tryEach(compose: () => Numbered): Promise<Outcome> {
		let outcome: Outcome = { taken: false, why: 'another publish has begun' };
		for (const url of [...this.urls]) {
			if (this.signal.aborted) return outcome;
			outcome = await this.post(url, compose());
			if (outcome.taken) {
				this.urls.sort((one) => (one === url ? -1 : 1));
				return outcome;
			}
		}
		return outcome;
	}

	private async post(url: string, { at, message }: Numbered): Promise<Outcome> {
		const { context, identity, memory } = this;
		const told = message.kind === 'tell' ? this.told : undefined;
		try {
			const { statusCode, headers, body } = (await context.helpers.httpRequest({
				method: 'POST',
				url: `${url}?${MESSAGE_PARAMETER}=${at}`,
				body: seal(memory.key, identity, at, message),
				headers: { 'Content-Type': 'application/octet-stream' },
				timeout: FOR_ANSWER,
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
			})) as IN8nHttpFullResponse;
			const answer = readAnswer(body);
			// A proxy may show a page of its own in place of n8n's answer 500.
			if (told?.mayHaveArrived && answer.status === REFUSED) return { taken: true };
			if (told) told.mayHaveArrived ||= statusCode >= 500;
			if (headers[MESSAGE_HEADER] === String(at) || answer.message === at) {
				return { taken: true, writtenAt: answer.writtenAt };
			}
			const why = `an unexpected answer came from ${addressOf(url)} (status ${statusCode})`;
			return { taken: false, why };
		} catch (error) {
			const reason = reasonOf(error);
			if (told) told.mayHaveArrived ||= !NO_CONNECTION.test(reason);
			return { taken: false, why: `no answer came from ${addressOf(url)} (${reason})` };
		}
	}
}

function readAnswer(body: unknown): { message?: unknown; writtenAt?: number; status?: unknown } {
	return isPlainObject(body) ? (body as object) : {};
}
