import { deburr, reject, uniq } from 'lodash';

import { singleLine } from '../../shared/format';
import type { FoundCompany } from '../../registry/schemas';
import { readName, withoutForm } from '../../shared/companyName';

const MAXIMUM_CANDIDATES = 5;

/** Statuses of companies that no longer exist. */
const GONE = /dissolved|closed|removed/i;

export interface NamedRow {
	name: string;
	/** In the register's form, if one came with the name. */
	number?: string;
}

export interface Match {
	/** The row's company as far as that is certain, or the company whose number the row has. */
	found?: FoundCompany;
	match: 'exact' | 'differs' | 'check' | 'none' | 'not asked';
	candidates: FoundCompany[];
}

/** Texts to search for, one after the other until one finds anything: a search may look for the text as it is. */
export function searchTexts(name: string): string[] {
	const written = singleLine(name);
	const { text } = withoutForm(written);
	return uniq([written, text, deburr(text)]);
}

/** Whether a company has that name. A row with a number may omit the legal form. */
export function hasSameName({ company_name }: FoundCompany, name: string): boolean {
	const [written, registered] = [readName(name), readName(company_name ?? '')];
	return (
		written.letters === registered.letters &&
		(written.form === '' || written.form === registered.form)
	);
}

/** Judges the result of a search for the name. A number that came with the row is never replaced. */
export function rateMatch(
	row: NamedRow,
	own: FoundCompany | undefined,
	found: FoundCompany[],
): Match {
	const written = readName(row.name);
	const nameOf = ({ company_name }: FoundCompany) => readName(company_name ?? '');
	const alike = found.filter((one) => nameOf(one).letters === written.letters);
	const same = alike.filter((one) => nameOf(one).form === written.form);
	const likeliest = uniq([...same, ...alike, ...found]);
	const others = reject(likeliest, { company_number: own?.company_number });
	const candidates = others.slice(0, MAXIMUM_CANDIDATES);
	if (own !== undefined) {
		const isSame = hasSameName(own, row.name);
		return {
			found: own,
			match: isSame ? 'exact' : 'differs',
			candidates: isSame ? [] : candidates,
		};
	}

	const [only, ...more] = same;
	const isGone = GONE.test(only?.company_status ?? '');
	if (row.number === undefined && only !== undefined && more.length === 0 && !isGone)
		return { found: only, match: 'exact', candidates: [] };

	return { match: candidates.length > 0 ? 'check' : 'none', candidates };
}
