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

/** Makes names comparable: `The Fox & Co. Ltd` and `FOX AND CO LIMITED` have the letters `foxandco` and the form `ltd`. */
export function readName(name: string) {
	const { text, form } = withoutForm(name.trim());
	const letters = deburr(text)
		.toLowerCase()
		.replaceAll('&', ' and ')
		.replace(/[^\p{L}\p{N}]/gu, '');
	return { letters, form };
}

/** The name without a leading "The" and its legal form, and that form; empty if it has none. */
export function withoutForm(name: string) {
	const found = SUFFIXES.find(({ pattern }) => pattern.test(name));
	const text = name.replace(found?.pattern ?? '', '').replace(/^the\s+(?=\S)/i, '');
	return { text, form: found?.form ?? '' };
}
