import { chunk, compact, isEmpty, isEqual, omitBy } from 'lodash';

import { isSameTarget, type Subscription, type Target } from '../records/subscription';
import type { TriggerState } from './storedState';

type Stored = Pick<TriggerState, 'blocks' | 'targets'>;

/** What a line has of a webhook behind its secret, with the place of its target in the table of targets. */
type Details = Pick<Subscription, 'state' | 'gap' | 'isAnnounced'> & { target: number };

/** Nearly all are so, and that takes no room. */
const USUAL: Details = { state: 'active', isAnnounced: true, gap: undefined, target: 0 };

/** Begins each line. JSON would escape a line break. */
const BEGINNING = '|';
/** V8 reads a string of more than 128 KB in JSON many times as slowly. */
const LINES_IN_BLOCK = 500;

/** The targets of these webhooks, each once. */
export function targetsOf(subscriptions: Subscription[]): Target[] {
	return subscriptions.reduce<Target[]>((targets, { target }) => {
		return targets.some((one) => isSameTarget(one, target)) ? targets : [...targets, target];
	}, []);
}

/** One line, of at most 110 bytes where nothing is unusual and ids and secrets have their usual length. */
function formatLine(one: Subscription, targets: Target[]): string {
	const { reference, company, id, secret, state, gap, isAnnounced = false } = one;
	const target = targets.findIndex((other) => isSameTarget(other, one.target));
	const details: Details = { state, gap, isAnnounced, target };
	const unusual = omitBy(details, (value, name) => isEqual(value, USUAL[name as keyof Details]));
	const fields = [reference, company, id, secret, isEmpty(unusual) ? '' : JSON.stringify(unusual)];
	// The service promises no form of ids and secrets.
	return fields.map((field) => field.replace(/[%|\s]/g, encodeURIComponent)).join(' ');
}

export function formatBlocks(subscriptions: Subscription[], targets: Target[]): string[] {
	const lines = subscriptions.map((one) => BEGINNING + formatLine(one, targets));
	return chunk(lines, LINES_IN_BLOCK).map((block) => block.join(''));
}

function parseLine(line: string, targets: Target[]): Subscription {
	const [reference, company, id, secret, unusual] = line.split(' ').map(decodeURIComponent);
	const { target, ...details } = { ...USUAL, ...(JSON.parse(unusual || '{}') as Partial<Details>) };
	return { reference, company, id, secret, ...details, target: targets[target] };
}

export function parseBlocks({ blocks, targets }: Stored): Subscription[] {
	const lines = blocks.flatMap((block) => compact(block.split(BEGINNING)));
	return lines.map((line) => parseLine(line, targets));
}

/** The stored webhook that a delivery names, found without parsing the others. */
export function findStored(
	{ blocks, targets }: Stored,
	reference: string,
): Subscription | undefined {
	const beginning = `${BEGINNING}${reference} `;
	const block = blocks.find((one) => one.includes(beginning));
	if (block === undefined) return undefined;
	const start = block.indexOf(beginning) + BEGINNING.length;
	return parseLine(block.slice(start).split(BEGINNING, 1)[0], targets);
}
