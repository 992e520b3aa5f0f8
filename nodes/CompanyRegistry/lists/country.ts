import { deburr } from 'lodash';

/** Countries of the United Kingdom, in the words and short forms that registers use, and the register itself. */
const UNITED_KINGDOM =
	/^(?:the )?(?:united kingdom|uk|gb|gbr|(?:great )?britain|england|wales|cymru|scotland|northern ireland|ireland northern|ni|sc|e ?w|companies house)\b/;
/** Cells that name no country. */
const UNKNOWN = /^(?:|n ?a|no|none|not (?:known|given|specified)|unknown|tb[ac]|to be \w+)$/;
const PART = /[,;:/()|_–-]+/;

/** Whether a cell below a heading of countries names another one than the United Kingdom. */
export function namesOtherCountry(text: string): boolean {
	const isUnknown = UNKNOWN.test(plainWords(text));
	return (
		!isUnknown && ![text, ...text.split(PART)].some((part) => UNITED_KINGDOM.test(plainWords(part)))
	);
}

/** `Côte d'Ivoire` without accents and signs. */
function plainWords(name: string): string {
	const letters = deburr(name).toLowerCase().replace(/[.'’]/g, '');
	return letters.replace(/[^a-z]+/g, ' ').trim();
}
