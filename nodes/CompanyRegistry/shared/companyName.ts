import { deburr } from 'lodash';

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

/** A name without its legal form, and that form; an empty text if none is written. */
export interface Name {
	letters: string;
	form: string;
}

/** `The Fox & Co. Ltd` is the same name as `FOX AND CO LIMITED`. */
export function readName(name: string): Name {
	const { text, form } = withoutForm(name.trim());
	const letters = deburr(text)
		.toLowerCase()
		.replaceAll('&', ' and ')
		.replace(/[^\p{L}\p{N}]/gu, '');
	return { letters, form };
}

/** A name without its article and its legal form. */
export function withoutForm(name: string): { text: string; form: string } {
	const found = AT_THE_END.find(({ pattern }) => pattern.test(name));
	const text = name.replace(found?.pattern ?? '', '').replace(/^the\s+(?=\S)/i, '');
	return { text, form: found?.form ?? '' };
}
