import {
	NodeOperationError,
	type IDataObject,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { compact, uniq } from 'lodash';

import { dropOldest } from '../../shared/dropOldest';
import { readReference } from '../identity/destination';
import { identify, nameOf, type TriggerIdentity } from '../identity/identity';
import { readState, writeState } from '../memory/state';
import { findMemory } from '../memory/trigger';
import { open } from './seal';

/** In the address of a message; its value is the message's number. */
export const MESSAGE_PARAMETER = 'message';
/** With the number in an answer of n8n's own, where a failed execution is shown. */
export const MESSAGE_HEADER = 'x-company-registry-message';
/** How far a message's number may be from now, in milliseconds. */
const VALID_FOR = 60_000;
/** Far more triggers than one process has. */
const MAXIMUM_TRIGGERS = 10_000;

/** The number of the message that each trigger has taken last. */
const taken = new Map<string, number>();

/**
 * Takes a message that this trigger has sent to itself, perhaps from another process. n8n saves what is
 * written here before it answers, because the answer is left to it.
 *
 * Nobody else can send one, nor one for another trigger, nor one again. What is refused is answered like
 * an unsigned delivery, and told nowhere.
 *
 * @returns undefined for what is no message
 * @throws NodeOperationError that n8n shows as a failed execution, for a message that asks for one
 */
export function receiveMessage(context: IWebhookFunctions): IWebhookResponseData | undefined {
	const query = context.getQueryData() as IDataObject;
	const number = query[MESSAGE_PARAMETER];
	if (typeof number !== 'string' || readReference(query) !== '') return undefined;
	const identity = identify(context, 'production');
	const staticData = context.getWorkflowStaticData('global');
	const stored = readState(staticData, identity);
	const { rawBody = Buffer.alloc(0) } = context.getRequestObject();
	const at = Number(number);
	const keys = uniq(compact([findMemory(identity)?.key, stored?.key]));
	const message = isNew(identity, at, stored?.writtenAt)
		? keys.map((key) => open(key, identity, at, rawBody)).find(Boolean)
		: undefined;
	const response = context.getResponseObject();
	if (message === undefined) {
		const words = "The delivery's signature is missing.";
		const refused = { error: 'unauthorized', message: words, status: 401 };
		response.statusCode = 401;
		response.setHeader('Content-Type', 'application/json; charset=utf-8');
		response.end(JSON.stringify(refused));
		return { noWebhookResponse: true };
	}
	taken.delete(nameOf(identity));
	taken.set(nameOf(identity), at);
	dropOldest(taken, MAXIMUM_TRIGGERS);
	if (message.kind === 'tell') {
		response.setHeader(MESSAGE_HEADER, String(at));
		throw shown(context, message.words);
	}
	if (message.kind === 'store') writeState(staticData, identity, message.state);
	return { webhookResponse: { message: at, writtenAt: stored?.writtenAt } };
}

function isNew(identity: TriggerIdentity, at: number, storedAt = 0): boolean {
	const last = Math.max(storedAt, taken.get(nameOf(identity)) ?? 0);
	// Its clock may have been set back since: then the latest message's number goes on.
	return at > last && Math.abs(Math.max(Date.now(), last) - at) <= VALID_FOR;
}

/** n8n puts words of its own in place of a message in which it finds a code such as ECONNRESET. */
function shown(context: IWebhookFunctions, words: string): NodeOperationError {
	const error = new NodeOperationError(context.getNode(), words);
	error.message = words;
	return error;
}
