import type { Recipient, UnknownRecipient } from './findRecipient';
import type { Incoming } from './incoming';
import { hasVerified, noteRefused } from './trackRecord';
import { takeTurn } from './turns';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Refused since one was accepted, this many of a webhook tell of a change at the service. */
const MANY = 3;
/** Webhooks of a trigger of which that is shown in a day. */
const SHOWN_PER_DAY = 3;

/** It ends a test; nothing genuine has come yet (shown once an hour); or no longer comes (once a day). */
export type Occasion = 'test' | 'never' | 'no longer';

/**
 * Whether a refused delivery is shown, and why. Once others were verified, one is taken for forged; but many of
 * one webhook are not, nor are those of an unknown one that go on for a day.
 */
export function findOccasion(
	{ trigger, ownReference, isTest }: Incoming,
	recipient: Recipient | UnknownRecipient,
): Occasion | undefined {
	const isKnown = recipient.webhook !== undefined;
	// The secret may be on its way.
	if (!isKnown && (isTest || recipient.isBeingCreated || recipient.isPublishing)) return undefined;
	if (isTest) return 'test';
	const reference = isKnown ? recipient.webhook.reference : ownReference;
	const { count, ms } = noteRefused(trigger, reference, isKnown);
	const isLasting = isKnown ? count >= MANY : ms >= DAY;
	if (isKnown && !recipient.isWatched) return undefined;
	if (!hasVerified(isKnown ? reference : trigger)) {
		const turn = { [`${isKnown ? 'refused' : 'unknown'} ${trigger}`]: 1 };
		return takeTurn(HOUR, turn) ? 'never' : undefined;
	}
	const turns = { [`day ${trigger}`]: SHOWN_PER_DAY, [`day ${trigger} ${reference}`]: 1 };
	return isLasting && takeTurn(DAY, turns) ? 'no longer' : undefined;
}
