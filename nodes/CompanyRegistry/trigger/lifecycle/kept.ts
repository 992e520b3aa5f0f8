import { countBy, difference, keyBy, omit, reject, uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { readName } from '../../shared/companyName';

/** A company that stays watched although the list no longer has it. */
export interface KeptCompany {
	/**
	 * `unreadable`: a row that cannot be read may hold its number. `shrunk`: most of the list was gone. `renumbered`:
	 * its name has another number now; once that has left too, `shrunk`. It stays until a list has it again, or a
	 * person confirms.
	 */
	reason: 'unreadable' | 'shrunk' | 'renumbered';
	/** Its name in the last list that had it. */
	name: string | null;
	email: string | null;
	columns: IDataObject | null;
	/** With `renumbered`: the number that its name has now. */
	newNumber?: string;
	/** Whether that number was watched before, so that it is not only a slip. */
	wasWatched?: true;
}

export type KeptCompanies = ReadonlyMap<string, KeptCompany>;

export function keptFor(reason: KeptCompany['reason'], kept: KeptCompanies): string[] {
	return [...kept.keys()].filter((company) => kept.get(company)?.reason === reason);
}

/** A name that has the number of another company of the list now, as where one column was sorted alone. */
export interface ExchangedNumber {
	name: string;
	before: string;
	now: string;
}

interface NamedCompanies {
	companies: string[];
	/** By company number. */
	names: ReadonlyMap<string, string>;
}

interface ListChange {
	/** The list that was last accepted, and what was kept beside it. */
	before: NamedCompanies;
	keptBefore: KeptCompanies;
	now: NamedCompanies & {
		/** Company numbers with the names of their rows, where these differ. */
		unclearNames: Array<[company: string, name: string]>;
	};
	/** Whether the service has refused a company: it was never watched, so it just goes. */
	isRefused: (company: string) => boolean;
	/** Whether a row that cannot be read may hold the number of any company that has left. */
	mayHideNumbers: boolean;
	/** Names in the rows that cannot be read: each may hold the number of the company with its name. */
	unreadNames: string[];
	/** The row of a company in the last list. */
	rowOf: (company: string) => Pick<KeptCompany, 'name' | 'email' | 'columns'>;
}

/** Shorter lists change as a whole. */
const SHORTEST_LIST = 4;

/** Companies that have left the list but stay watched: no company is dropped by accident. */
export function companiesToKeep(change: ListChange): KeptCompanies {
	const { before, keptBefore, now, isRefused, mayHideNumbers, rowOf } = change;
	const slips = correctedSlips(change);
	const isShrunk = hasShrunk(before.companies, now.companies);
	const changedNumbers = renumbered(change);
	const unreadNames = new Set(change.unreadNames.map(comparableName));
	const mayBeHidden = ({ name }: { name: string | null }) =>
		mayHideNumbers || (name !== null && unreadNames.has(comparableName(name)));
	const kept = new Map<string, KeptCompany>();

	for (const company of difference([...keptBefore.keys()], now.companies, slips)) {
		const one = keptBefore.get(company)!;
		const { newNumber, ...previous } = omit(one, 'wasWatched');
		// A number that the service refused may have changed once more.
		const wasRefused = newNumber !== undefined && isRefused(newNumber);
		const changed = changedNumbers.get(wasRefused ? newNumber : company);
		if (changed) kept.set(company, { ...previous, ...changed });
		else if (one.reason !== 'unreadable' || mayBeHidden(one)) kept.set(company, one);
		else if (isShrunk) kept.set(company, { ...one, reason: 'shrunk' });
	}
	const gone = difference(before.companies, now.companies, slips);
	for (const company of reject(gone, isRefused)) {
		const changed = changedNumbers.get(company);
		const row = rowOf(company);
		if (changed) kept.set(company, { ...row, ...changed });
		else if (isShrunk) kept.set(company, { ...row, reason: 'shrunk' });
		else if (mayBeHidden(row)) kept.set(company, { ...row, reason: 'unreadable' });
	}
	return withoutLostNumbers(kept, new Set(now.companies));
}

/** A new number that is neither listed nor kept has left as well, so it says nothing of the old one any more. */
function withoutLostNumbers(kept: Map<string, KeptCompany>, listed: Set<string>): KeptCompanies {
	const isLost = ({ newNumber }: KeptCompany) =>
		newNumber !== undefined && !listed.has(newNumber) && !kept.has(newNumber);
	return new Map(
		[...kept].map(([company, one]) => [
			company,
			isLost(one) ? { ...omit(one, 'newNumber', 'wasWatched'), reason: 'shrunk' } : one,
		]),
	);
}

/** New numbers of slips whose old number is back in the list: they end at once, and that is no news. */
export function correctedSlips(change: ListChange): string[] {
	const { before, keptBefore, now, mayHideNumbers } = change;
	// No company is taken out while a row cannot be read.
	if (mayHideNumbers) return [];
	const listed = new Set(now.companies);
	const slips = new Set<string>();
	for (const company of keptBefore.keys()) {
		if (!listed.has(company)) continue;
		// A second slip may have followed the first.
		let slip = slipOf(keptBefore, company);
		while (slip !== undefined && !listed.has(slip) && !slips.has(slip)) {
			slips.add(slip);
			slip = slipOf(keptBefore, slip);
		}
	}
	return [...before.companies, ...keptBefore.keys()].filter((company) => slips.has(company));
}

/** The new number of a kept company, unless that is a company of its own that was watched before. */
function slipOf(kept: KeptCompanies, company: string): string | undefined {
	const { newNumber, wasWatched } = kept.get(company) ?? {};
	return wasWatched ? undefined : newNumber;
}

/** The number that the name of a kept company has now, after one change or several. */
export function latestNumber(kept: KeptCompanies, company: string): string | undefined {
	const newNumber = kept.get(company)?.newNumber;
	return newNumber === undefined ? undefined : (latestNumber(kept, newNumber) ?? newNumber);
}

/** Whether fewer than half of the companies of the last accepted list are left. */
function hasShrunk(before: string[], now: string[]): boolean {
	const left = difference(before, now).length;
	return before.length >= SHORTEST_LIST && (before.length - left) * 2 < before.length;
}

/** By a company that has left: that its name, which occurs once in both lists, has another number now. */
function renumbered({ before, keptBefore, now }: ListChange) {
	// The name of one that was renumbered before is in the list, with its new number.
	const keptNames = [...keptBefore].flatMap(([company, { name, reason }]) =>
		name && reason !== 'renumbered' ? [[company, name] as const] : [],
	);
	const earlier = numbersByName([...before.names, ...keptNames]);
	const later = numbersByName([...now.names, ...now.unclearNames]);

	const listed = new Set(now.companies);
	const watchedBefore = new Set([...before.companies, ...keptBefore.keys()]);
	const changed = [...earlier].flatMap(([name, number]) => {
		const newNumber = later.get(name);
		if (newNumber === undefined || listed.has(number)) return [];
		const wasWatched = watchedBefore.has(newNumber) && { wasWatched: true as const };
		return [[number, { reason: 'renumbered' as const, newNumber, ...wasWatched }] as const];
	});
	return new Map(changed);
}

/**
 * Names whose previous number is still in the list, beside another name. All these companies stay watched. A name that
 * has its own number again is no news.
 * @param stored earlier ones, of which a person confirms all
 */
export function exchangedNumbers(
	{ before, now }: Pick<ListChange, 'before' | 'now'>,
	stored: ExchangedNumber[],
	isConfirmed: boolean,
): ExchangedNumber[] {
	const earlier = numbersByName([...before.names]);
	const later = numbersByName([...now.names, ...now.unclearNames]);
	const isListed = new Set(now.companies);
	const storedByName = keyBy(stored, ({ name }) => comparableName(name));

	const changed = [...now.names].flatMap(([number, name]) => {
		const comparable = comparableName(name);
		const own = storedByName[comparable]?.before ?? earlier.get(comparable);
		const isClear = later.get(comparable) === number;
		const isNew = earlier.get(comparable) !== number;
		const hasMoved = own !== undefined && own !== number && isListed.has(own);
		return isClear && isNew && hasMoved ? [{ name, before: own, now: number }] : [];
	});
	if (isConfirmed) return changed;

	// A list may have lost its names for a while.
	const isStill = ({ name, now: number }: ExchangedNumber) => {
		const listed = now.names.get(number) ?? name;
		return isListed.has(number) && comparableName(listed) === comparableName(name);
	};
	return uniqBy([...changed, ...stored.filter(isStill)], 'now');
}

/** The number of each name that one company only has. */
function numbersByName(named: Array<readonly [company: string, name: string]>) {
	const all = named.map(([company, name]) => [comparableName(name), company] as const);
	const counts = countBy(uniqBy(all, String), 0);
	return new Map(all.filter(([name]) => counts[name] === 1));
}

function comparableName(name: string): string {
	return JSON.stringify(readName(name));
}
