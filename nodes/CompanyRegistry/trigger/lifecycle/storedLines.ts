import { compact, findLastIndex } from 'lodash';

import {
	isKnown,
	isSameTarget,
	type Known,
	type Subscription,
	type Target,
} from '../records/subscription';

/** A subscription as it is stored. */
export interface StoredSubscription {
	subscription: Subscription;
	/** Whether the trigger no longer desires it. */
	isLeft: boolean;
}

/** A mark of its own: it says nothing of the webhook, only of what is desired. */
const LEFT = 'left';
/** Nearly all are active and desired, so that takes no room. */
const USUAL = '';

/** The targets of these webhooks, each once: a line names its target by the place in this table. */
export function targetsOf(known: Known[]): Target[] {
	return known.reduce<Target[]>((targets, { target }) => {
		return targets.some((one) => isSameTarget(one, target)) ? targets : [...targets, target];
	}, []);
}

/** One line, of at most 110 bytes where ids and secrets have their usual length. */
export function formatLine(one: Subscription, isLeft: boolean, targets: Target[]): string {
	const fields = isKnown(one)
		? fieldsOf(one, isLeft, targets)
		: ['pending', one.company, ...one.earlier];
	const all = [one.reference, ...fields];
	const filled = all.slice(0, findLastIndex(all, (field) => field !== USUAL) + 1);

	// The service promises no form of ids and secrets.
	return filled.map((field) => field.replace(/[%\s]/g, encodeURIComponent)).join(' ');
}

function fieldsOf(one: Known, isLeft: boolean, targets: Target[]): string[] {
	const { said, company, id, secret, target, silentSince } = one;
	const place = targets.findIndex((other) => isSameTarget(other, target));
	return [
		said === 'active' ? USUAL : said,
		company,
		id,
		secret,
		place > 0 ? String(place) : USUAL,
		isLeft ? LEFT : USUAL,
		silentSince === undefined ? USUAL : String(silentSince),
	];
}

export function parseLine(line: string, targets: Target[]): StoredSubscription {
	const fields = line.split(' ').map(decodeURIComponent);
	const [reference, said, company, id, secret, place, mark, since] = fields;
	if (said === 'pending') {
		return { subscription: { reference, company, earlier: fields.slice(3) }, isLeft: false };
	}

	const target = targets[Number(place ?? 0)] ?? { url: '', events: [] };
	const subscription: Known = {
		reference,
		company,
		id,
		secret,
		said: (said || 'active') as Known['said'],
		target,
		...(since && { silentSince: Number(since) }),
	};
	return { subscription, isLeft: mark === LEFT };
}

export function parseLines(lines: string, targets: Target[]): StoredSubscription[] {
	return compact(lines.split('\n')).map((line) => parseLine(line, targets));
}
