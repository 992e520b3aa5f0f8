import { compact, isEmpty, isEqual, omitBy } from 'lodash';

import { isSameTarget, type Subscription, type Target } from '../records/subscription';

/** What a line has of a webhook behind its secret, with the place of its target in the table of targets. */
type Details = Pick<Subscription, 'state' | 'gap' | 'isAnnounced'> & { target: number };

/** Nearly all are so, and that takes no room. */
const USUAL: Details = { state: 'active', isAnnounced: true, gap: undefined, target: 0 };

/** The targets of these webhooks, each once. */
export function targetsOf(subscriptions: Subscription[]): Target[] {
	return subscriptions.reduce<Target[]>((targets, { target }) => {
		return targets.some((one) => isSameTarget(one, target)) ? targets : [...targets, target];
	}, []);
}

/** One line, of at most 110 bytes where nothing is unusual and ids and secrets have their usual length. */
export function formatLine(one: Subscription, targets: Target[]): string {
	const { reference, company, id, secret, state, gap, isAnnounced = false } = one;
	const target = targets.findIndex((other) => isSameTarget(other, one.target));
	const details: Details = { state, gap, isAnnounced, target };
	const unusual = omitBy(details, (value, name) => isEqual(value, USUAL[name as keyof Details]));
	const fields = [reference, company, id, secret, isEmpty(unusual) ? '' : JSON.stringify(unusual)];
	// The service promises no form of ids and secrets.
	return fields.map((field) => field.replace(/[%\s]/g, encodeURIComponent)).join(' ');
}

export function parseLine(line: string, targets: Target[]): Subscription {
	const [reference, company, id, secret, unusual] = line.split(' ').map(decodeURIComponent);
	const { target, ...details } = { ...USUAL, ...(JSON.parse(unusual || '{}') as Partial<Details>) };
	return { reference, company, id, secret, ...details, target: targets[target] };
}

export function parseLines(lines: string, targets: Target[]): Subscription[] {
	return compact(lines.split('\n')).map((line) => parseLine(line, targets));
}
