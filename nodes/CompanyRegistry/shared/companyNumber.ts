import { formatValue } from './format';

const NUMBER_LENGTH = 8;
/** Far more than any cell that holds one. Headers and bodies of deliveries are read, too, and may hold anything. */
const LONGEST_ENTRY = 100;
/** Eight letters are a word: no number without a digit is known. */
const PLAIN = /^(?=\D*\d)[A-Za-z0-9]{1,8}$/;

/**
 * The prefixes of company numbers, from Companies House's list in its "Uniform Resource Identifiers (URI) Customer
 * Guide" on gov.uk, with those it has added since. Six digits follow all but the societies' prefixes.
 */
const PREFIXES = {
	companies: ['SC', 'NI', 'R0'],
	partnerships: ['OC', 'SO', 'NC', 'LP', 'SL', 'NL', 'SG'],
	overseas: ['FC', 'SF', 'NF', 'BR', 'OE', 'FE'],
	charities: ['CE', 'CS'],
	european: ['GE', 'GS', 'GN', 'SE', 'ES', 'EN'],
	assurance: ['AC', 'SA', 'NA'],
	investment: ['IC', 'SI', 'NV', 'PC'],
	royalCharter: ['RC', 'SR', 'NR'],
	unregistered: ['ZC', 'SZ', 'NZ', 'NO'],
	/** Registered societies: up to five letters may end their numbers, as in the FCA's register of mutuals. */
	societies: ['IP', 'SP', 'NP', 'RS'],
};
const ANY_PREFIX = Object.values(PREFIXES).flat().join('|');
const REGISTER_FORM = new RegExp(
	`^(?![A-Z]*0+$)(?:\\d{8}|(?:${ANY_PREFIX})\\d{6}|(?:${PREFIXES.societies.join('|')})(?=.{6}$)\\d+[A-Z]*)$`,
);
const UNKNOWN_PREFIX = new RegExp(`^(?!${ANY_PREFIX})[A-Z]{1,2}\\d{6,7}$`);

/** Characters that are not visible, such as a zero-width space or a mark of direction. */
const INVISIBLE = /\p{Cf}/gu;
const SEPARATORS_AT_THE_ENDS = /^[\s,;]+|(?<![\s,;])[\s,;]+$/g;
/** A text as a spreadsheet's formula, from which n8n may have taken the sign, with its mark, or in quotes. */
const AS_TEXT = /^(?:=?"([^"]*)"|['‘’]([^'‘’]*)['‘’]?)$/;
/** The decimals that a spreadsheet adds to a whole number. `445.000` is how some countries write 445,000. */
const NO_DECIMALS = /(?<!^\d{1,3})\.0+$|\.0{1,2}$/;
/** Digits in groups of three, separated by commas or by spaces, alone or after a two-letter prefix. */
const IN_GROUPS = /^(?:[A-Z]{2} ?)?\d{1,3}(?:(?:,\d{3})+|(?: \d{3})+)$/i;
/** Eight digits with their leading zero, however they are grouped. */
const WITH_ZERO = /^0(?: ?\d){7}$/;
const AFTER_PREFIX = /^[A-Z]{2} \d[A-Z0-9]*$/i;
/** Digits alone lose their leading zeros in spreadsheets. With a leading zero left, another digit is missing. */
const SIX_DIGITS = /^[1-9]\d{5,6}$/;
/** Fewer than six digits may be a count or a year. */
const FEW_DIGITS = /^[1-9]\d{0,4}$/;
/** The digits after a prefix lose their zeros, too. */
const AFTER_REGISTER_PREFIX = new RegExp(`^(?:${ANY_PREFIX})[1-9]\\d*$`);
/** Six characters or more: `SE1` is a postcode. */
const LIKENESS = new RegExp(`^(?:\\d{6,8}|(?:${ANY_PREFIX})\\d{4,6})$`);
const ONLY_ZEROS = /^[A-Z]{0,2}0+$/;

/**
 * The register's own form of a company number: 8 characters, letters and digits, upper case.
 *
 * Accepts whole numbers, and text in any case as people and spreadsheets write it: `445790`, `sc 1234`,
 * `R0000521`, `445,790`, `00 445 790`, `445790.0`, `'00445790`, `="00445790"`. Returns undefined for anything
 * else, and for several numbers. Takes a time that the length of the text does not change.
 */
export function normaliseCompanyNumber(value: unknown): string | undefined {
	const number = zeroPadded(writtenNumber(value) ?? '');
	return number.length === NUMBER_LENGTH && !ONLY_ZEROS.test(number) ? number : undefined;
}

/** The letters and digits of one number as it is written: in upper case, at most 8, and perhaps not in full. */
export function writtenNumber(value: unknown): string | undefined {
	let text = typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : '';
	if (text.length > LONGEST_ENTRY || !/\d/.test(text)) return undefined;
	// Most are plain. A delivery reads them all, so that nothing more is done to those.
	if (!PLAIN.test(text)) text = withoutSeparators(withoutMarks(text));
	// Checked before upper-casing, which would turn some other letters into A to Z.
	return PLAIN.test(text) ? text.toUpperCase() : undefined;
}

/** The number of an old company that has lost more than two zeros; undefined unless it has one to five digits. */
export function completeFewDigits(value: unknown): string | undefined {
	const written = writtenNumber(value) ?? '';
	return FEW_DIGITS.test(written) ? written.padStart(NUMBER_LENGTH, '0') : undefined;
}

/** Whether a number is written as the register writes them: `99000001`, `SC990001`, `R0990001`, `IP9900RS`. */
export function hasRegisterForm(number: string): boolean {
	return REGISTER_FORM.test(number);
}

/** Whether a value looks like a company number, in full or not. */
export function resemblesCompanyNumber(value: unknown): boolean {
	const written = writtenNumber(value) ?? '';
	return LIKENESS.test(written) || REGISTER_FORM.test(written);
}

/** Whether only the prefix is one that the register does not use, as far as is known. */
export function hasUnknownPrefix(value: unknown): boolean {
	return UNKNOWN_PREFIX.test(writtenNumber(value) ?? '');
}

/** A number that the service sent, padded for comparing; any other text stays as it is. */
export function comparableNumber(received: string): string {
	const text = received.trim();
	if (/^\d{1,7}$/.test(text)) return text.padStart(NUMBER_LENGTH, '0');
	return normaliseCompanyNumber(received) ?? received;
}

/** The advice for a value that is no company number. It shows the value, shortened if long. */
export function invalidCompanyNumber(value: unknown): { message: string; description: string } {
	const shown = formatValue(value);
	return {
		message: shown ? `${shown} is not a company number` : "'Company Number' is empty",
		description:
			'Enter the 8 characters of the number, such as 99000001 or SC990001. You may omit one or two leading zeros.',
	};
}

/** The characters that count, with single spaces. */
function withoutMarks(text: string): string {
	const bare = text.replace(INVISIBLE, '').replace(SEPARATORS_AT_THE_ENDS, '');
	const [, formula, marked] = AS_TEXT.exec(bare) ?? [];
	return (formula ?? marked ?? bare).trim().replace(/\s+/g, ' ').replace(NO_DECIMALS, '');
}

/** One number without what is between its characters; unchanged where it may be several numbers. */
function withoutSeparators(text: string): string {
	const isOne = IN_GROUPS.test(text) || WITH_ZERO.test(text) || AFTER_PREFIX.test(text);
	return isOne ? text.replace(/[ ,]/g, '') : text;
}

function zeroPadded(text: string): string {
	if (text.length === NUMBER_LENGTH) return text;
	if (SIX_DIGITS.test(text)) return text.padStart(NUMBER_LENGTH, '0');
	if (!AFTER_REGISTER_PREFIX.test(text)) return text;
	return text.slice(0, 2) + text.slice(2).padStart(NUMBER_LENGTH - 2, '0');
}
