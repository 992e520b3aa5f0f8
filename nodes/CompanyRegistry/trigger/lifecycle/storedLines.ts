import { compact, findLastIndex } from 'lodash';

import {
	isKnown,
	isSameTarget,
	type Known,
	type Subscription,
	type Target,
} from '../records/subscription';

/** Nearly all are active, reported and without a gap, so that takes no room. */
const USUAL = '';

/** What is unusual about a webhook, as JSON. */
type Unusual = Pick<Known, 'gap'> & { isNew?: true };

/** The targets of these webhooks, each once: a line names its target by the place in this table. */
export function targetsOf(known: Known[]): Target[] {
	return known.reduce<Target[]>((targets, { target }) => {
		return targets.some((one) => isSameTarget(one, target)) ? targets : [...targets, target];
	}, []);
}

/** One line, of at most 110 bytes where ids and secrets have their usual length. */
export function formatLine(one: Subscription, targets: Target[]): string {
	const fields = isKnown(one) ? fieldsOf(one, targets) : ['pending', one.company, ...one.earlier];
	const all = [one.reference, ...fields];
	const filled = all.slice(0, findLastIndex(all, (field) => field !== USUAL) + 1);

	// The service promises no form of ids and secrets.
	return filled.map((field) => field.replace(/[%\s]/g, encodeURIComponent)).join(' ');
}

function fieldsOf(one: Known, targets: Target[]): string[] {
	const { said, company, id, secret, target, gap, isReported } = one;
	const place = targets.findIndex((other) => isSameTarget(other, target));
	const unusual: Unusual = { ...(gap && { gap }), ...(!isReported && { isNew: true }) };
	return [
		said === 'active' ? USUAL : said,
		company,
		id,
		secret,
		place > 0 ? String(place) : USUAL,
		Object.keys(unusual).length > 0 ? JSON.stringify(unusual) : USUAL,
	];
}

export function parseLine(line: string, targets: Target[]): Subscription {
	const fields = line.split(' ').map(decodeURIComponent);
	const [reference, said, company, id, secret, place, rest] = fields;
	if (said === 'pending') return { reference, company, earlier: fields.slice(3) };

	const { gap, isNew } = (rest ? JSON.parse(rest) : {}) as Unusual;
	return {
		...{ reference, company, id, secret },
		said: (said || 'active') as Known['said'],
		target: targets[Number(place || 0)] ?? { url: '', events: [] },
		isReported: !isNew,
		...(gap && { gap }),
	};
}

export function parseLines(lines: string, targets: Target[]): Subscription[] {
	return compact(lines.split('\n')).map((line) => parseLine(line, targets));
}
