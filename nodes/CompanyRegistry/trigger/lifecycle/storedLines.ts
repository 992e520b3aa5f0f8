import { compact, isEmpty, isEqual, omitBy } from 'lodash';

import { isSameTarget, type Known, type Target } from '../records/subscription';

/** The state of a webhook, with the place of its target in the table of targets. */
type State = Pick<Known, 'said' | 'gap' | 'isReported'> & { target: number };

/** Nearly all are so, and that takes no room. */
const USUAL: State = { said: 'active', isReported: true, gap: undefined, target: 0 };

/** The targets of these webhooks, each once. */
export function targetsOf(known: Known[]): Target[] {
	return known.reduce<Target[]>((targets, { target }) => {
		return targets.some((one) => isSameTarget(one, target)) ? targets : [...targets, target];
	}, []);
}

/** One line, of at most 110 bytes where nothing is unusual and ids and secrets have their usual length. */
export function formatLine(one: Known, targets: Target[]): string {
	const { reference, company, id, secret, said, gap, isReported = false } = one;
	const target = targets.findIndex((other) => isSameTarget(other, one.target));
	const state: State = { said, gap, isReported, target };
	const unusual = omitBy(state, (value, name) => isEqual(value, USUAL[name as keyof State]));
	const fields = [reference, company, id, secret, isEmpty(unusual) ? '' : JSON.stringify(unusual)];
	// The service promises no form of ids and secrets.
	return fields.map((field) => field.replace(/[%\s]/g, encodeURIComponent)).join(' ');
}

export function parseLine(line: string, targets: Target[]): Known {
	const [reference, company, id, secret, unusual] = line.split(' ').map(decodeURIComponent);
	const { target, ...state } = { ...USUAL, ...(JSON.parse(unusual || '{}') as Partial<State>) };
	return { reference, company, id, secret, ...state, target: targets[target] };
}

export function parseLines(lines: string, targets: Target[]): Known[] {
	return compact(lines.split('\n')).map((line) => parseLine(line, targets));
}
