import { isPlainObject } from 'lodash';
import type { IHookFunctions, IN8nHttpFullResponse } from 'n8n-workflow';

import { NO_CONNECTION, reasonOf } from '../../registry/failure';
import { addressOf } from '../identity/destination';
import type { TriggerIdentity } from '../identity/identity';
import type { TriggerMemory } from '../memory/trigger';
import { localUrl } from '../identity/ownAddress';
import { MESSAGE_HEADER, MESSAGE_PARAMETER } from './receiveMessage';
import { seal, type Message } from './seal';

/** For n8n's answer, in milliseconds. It saves before it answers. */
const FOR_ANSWER = 10_000;
/** So long the same words have the same number, by which they are shown once. They are taken for a minute. */
const SAME_WORDS = 45_000;
/** With this the trigger refuses a message, such as one that it has taken already. */
const REFUSED = 401;

/** What became of a message. */
export type Outcome =
	/** The trigger has taken it. With when what was stored before was written. */
	{ taken: true; writtenAt?: number } | { taken: false; why: string };

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
		return `${this.urls.map(addressOf).join(' and ')}`;
	}

	/** What is stored of the trigger now. */
	async ask(): Promise<Outcome> {
		return await this.send(() => ({ kind: 'ask' }));
	}

	/** Stores what is known when it is the message's turn. */
	async store(): Promise<Outcome> {
		return await this.send(() => ({ kind: 'store', state: this.memory.toState() }));
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
			return { kind: 'tell', words };
		});
	}

	private async send(compose: () => Message): Promise<Outcome> {
		const { workflow } = this.identity;
		await messagesEnded(this.identity);
		const sent = this.tryEach(compose);
		underWay.set(workflow, sent);
		return await sent.finally(() => underWay.delete(workflow));
	}

	private async tryEach(compose: () => Message): Promise<Outcome> {
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

	private async post(url: string, message: Message): Promise<Outcome> {
		const { context, identity, memory, told } = this;
		const isTold = message.kind === 'tell';
		const stored = message.kind === 'store' ? message.state.writtenAt : undefined;
		const at = isTold ? told.at : (stored ?? memory.stamp());
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
			if (isTold && told.mayHaveArrived && answer.status === REFUSED) return { taken: true };
			if (isTold) told.mayHaveArrived ||= statusCode >= 500;
			if (headers[MESSAGE_HEADER] === String(at) || answer.message === at) {
				return { taken: true, writtenAt: answer.writtenAt };
			}
			const why = `an unexpected answer came from ${addressOf(url)} (status ${statusCode})`;
			return { taken: false, why };
		} catch (error) {
			const reason = reasonOf(error);
			if (isTold) told.mayHaveArrived ||= !NO_CONNECTION.test(reason);
			const why = `no answer came from ${addressOf(url)} (${reason})`;
			return { taken: false, why };
		}
	}
}

function readAnswer(body: unknown): { message?: unknown; writtenAt?: number; status?: unknown } {
	return isPlainObject(body) ? (body as object) : {};
}
