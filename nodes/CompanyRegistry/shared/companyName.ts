import { deburr } from 'lodash';

/** Legal forms at the end of names, grouped by meaning. */
const FORMS = {
	plc: 'public limited company|p.?l.?c|ccc',
	llp: 'limited liability partnership|l.?l.?p',
	lp: 'limited partnership|l.?p',
	cic: 'community interest company|c.?i.?c',
	ltd: 'limited|ltd|cyfyngedig|cyf',
};
const SUFFIXES = Object.entries(FORMS).map(([form, words]) => ({
	form,
	pattern: new RegExp(`[\\s,(]+(?:${words.replaceAll('.', '\\.')})[.)]*$`, 'i'),
}));

/** A company name in comparable form. */
export interface Name {
	/** Letters and digits in lower case, without the legal form. */
	letters: string;
	/** The legal form; empty if the name has none. */
	form: string;
}

/** Makes names comparable: `The Fox & Co. Ltd` equals `FOX AND CO LIMITED`. */
export function readName(name: string): Name {
	const { text, form } = withoutForm(name.trim());
	const letters = deburr(text)
		.toLowerCase()
		.replaceAll('&', ' and ')
		.replace(/[^\p{L}\p{N}]/gu, '');
	return { letters, form };
}

/** Splits off the legal form and removes a leading "The". */
export function withoutForm(name: string): { text: string; form: string } {
	const found = SUFFIXES.find(({ pattern }) => pattern.test(name));
	const text = name.replace(found?.pattern ?? '', '').replace(/^the\s+(?=\S)/i, '');
	return { text, form: found?.form ?? '' };
}
