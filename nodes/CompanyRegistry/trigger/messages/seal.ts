import { createCipheriv, createDecipheriv, randomBytes } from 'crypto';

import type { TriggerIdentity } from '../identity/identity';
import type { TriggerState } from '../memory/state';

/** What a trigger sends to itself. */
export type Message =
	/** Replaces what is stored of it. */
	| { kind: 'store'; state: TriggerState }
	/** Becomes a failed execution with these words. */
	| { kind: 'tell'; words: string }
	/** Asks what is stored. */
	| { kind: 'ask' };

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A key for one trigger's messages, as text for its state. */
export function newKey(): string {
	return randomBytes(KEY_BYTES).toString('base64url');
}

/**
 * Encrypts and authenticates a message.
 * @param at its number, by which it counts once; in milliseconds since the epoch
 */
export function seal(key: string, identity: TriggerIdentity, at: number, message: Message): Buffer {
	const nonce = randomBytes(NONCE_BYTES);
	const cipher = createCipheriv(ALGORITHM, bytesOf(key), nonce).setAAD(addressee(identity, at));
	const sealed = [cipher.update(JSON.stringify(message)), cipher.final()];
	return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]);
}

/** The message; undefined unless it was sealed with this key, for this trigger and with this number. */
export function open(
	key: string,
	identity: TriggerIdentity,
	at: number,
	sealed: Buffer,
): Message | undefined {
	if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
	try {
		const nonce = sealed.subarray(0, NONCE_BYTES);
		const options = { authTagLength: TAG_BYTES };
		const decipher = createDecipheriv(ALGORITHM, bytesOf(key), nonce, options)
			.setAAD(addressee(identity, at))
			.setAuthTag(sealed.subarray(-TAG_BYTES));
		const text = [decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
		return JSON.parse(Buffer.concat(text).toString()) as Message;
	} catch {
		return undefined;
	}
}

function bytesOf(key: string): Buffer {
	return Buffer.from(key, 'base64url');
}

function addressee({ workflow, node, kind }: TriggerIdentity, at: number): Buffer {
	return Buffer.from(JSON.stringify([workflow, node, kind, at]));
}
