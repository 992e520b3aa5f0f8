import { deburr, uniq } from 'lodash';

import type { FoundCompany } from '../../registry/schemas';

const MAXIMUM_CANDIDATES = 5;

/** Legal forms as they stand at the end of names, by one that stands for all that mean the same. */
const FORMS = {
	plc: 'public limited company|p.?l.?c|ccc',
	llp: 'limited liability partnership|l.?l.?p',
	lp: 'limited partnership|l.?p',
	cic: 'community interest company|c.?i.?c',
	ltd: 'limited|ltd|cyfyngedig|cyf',
};
const AT_THE_END = Object.entries(FORMS).map(([form, words]) => ({
	form,
	pattern: new RegExp(`[\\s,(]+(?:${words.replaceAll('.', '\\.')})[.)]*$`, 'i'),
}));
/** Statuses of companies that are no more, of which the service shows one. */
const GONE = /dissolved|closed|removed/i;

/** A name without its legal form, and that form; an empty text if none is written. */
interface Name {
	letters: string;
	form: string;
}

export interface Row {
	name: string;
	/** In the register's form, if one came with the name. */
	number?: string;
}

export interface Match {
	/** What the row is of, as far as that is certain, or whose number the row has. */
	found?: FoundCompany;
	match: 'exact' | 'differs' | 'check' | 'none' | 'not asked';
	candidates: FoundCompany[];
}

/** Texts to search for, one after the other until one finds anything: a search may look for the text as it is. */
export function searchTexts(name: string): string[] {
	const written = name.trim().replace(/\s+/g, ' ');
	const bare = withoutForm(written).text.replace(/^the\s+(?=\S)/i, '');
	return uniq([written, bare, deburr(bare)]);
}

/** What the register has under the row's own number; undefined where the search has not found that. */
export function ownOf(found: FoundCompany[], { number }: Row): FoundCompany | undefined {
	return found.find((one) => one.company_number === number);
}

/** Whether a company has that name. Who gives its number need not write its legal form. */
export function isNamed({ company_name }: FoundCompany, name: string): boolean {
	const [written, registered] = [readName(name), readName(company_name ?? '')];
	return (
		written.letters === registered.letters &&
		(written.form === '' || written.form === registered.form)
	);
}

/** What a search for the name has found, judged. A number that came with the row is never replaced. */
export function judge(row: Row, own: FoundCompany | undefined, found: FoundCompany[]): Match {
	const written = readName(row.name);
	const names = new Map(found.map((one) => [one, readName(one.company_name ?? '')]));
	const alike = found.filter((one) => names.get(one)?.letters === written.letters);
	const same = alike.filter((one) => names.get(one)?.form === written.form);
	const others = uniq([...same, ...alike, ...found]).filter(
		(one) => one.company_number !== own?.company_number,
	);
	const candidates = others.slice(0, MAXIMUM_CANDIDATES);
	if (own !== undefined) {
		const isSame = isNamed(own, row.name);
		return {
			found: own,
			match: isSame ? 'exact' : 'differs',
			candidates: isSame ? [] : candidates,
		};
	}
	const [only, ...more] = same;
	const isCertain =
		row.number === undefined && only !== undefined && more.length === 0 && !isGone(only);
	if (isCertain) return { found: only, match: 'exact', candidates: [] };
	return { match: candidates.length > 0 ? 'check' : 'none', candidates };
}

function isGone({ company_status }: FoundCompany): boolean {
	return GONE.test(company_status ?? '');
}

/** `The Fox & Co. Ltd` is the same name as `FOX AND CO LIMITED`. */
function readName(name: string): Name {
	const { text, form } = withoutForm(name.trim());
	const letters = deburr(text)
		.toLowerCase()
		.replaceAll('&', ' and ')
		.replace(/^the\s+(?=\S)/, '')
		.replace(/[^\p{L}\p{N}]/gu, '');
	return { letters, form };
}

function withoutForm(name: string): { text: string; form: string } {
	const found = AT_THE_END.find(({ pattern }) => pattern.test(name));
	return { text: name.replace(found?.pattern ?? '', ''), form: found?.form ?? '' };
}
