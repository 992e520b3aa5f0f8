import { cellText } from '../shared/format';

const COMPANY = '(?:company|companies|co|ch)(?: ?house)?';
const REGISTRATION = '(?:reg[nd]?|registration|registered|register|incorporation)';
const NUMBER = '(?:numbers?|nos?|nr|num)';
const PARTY =
	'(?:client|customer|supplier|vendor|contractor|payee|beneficiary|provider|employer|donor|business|entity)';
const WHOSE = `(?:${PARTY}|charity|limited|ltd|legal|uk)?`;

/** A company's number in the words of a heading. One between companies is of an account. */
const COMPANY_NUMBER = new RegExp(
	`(?<!inter ?)(?:company|companies|\\bco|\\bch)(?: ?house)?(?: ?${REGISTRATION})? ?${NUMBER}\\b(?! (?:of|longer)\\b)|\\b(?:uk|co|company)?crn(?: ?${NUMBER})?\\b`,
	'g',
);
/** Its other names, in the letters of a heading. With more words, they may say something else. */
const OTHER_NAMES = new RegExp(
	`^${WHOSE}(?:${COMPANY}(?:reg|regn|registration)|${REGISTRATION}?${NUMBER}${COMPANY})(?:crn|uk|8digits)?$`,
);
const BARE_NUMBER = new RegExp(`^(?:${WHOSE}${REGISTRATION})?${NUMBER}$`);

/** A heading with these words is of another company's number. */
const SOMEONE_ELSE =
	/\b(?:parent|previous|former|predecessor|holding|ultimate)|\b(?:old|prev|prior)\b/;
/** Before it, these words make a note: "no company number". */
const NOTE = /\b(?:no|not|without|missing|unknown|check|see|has|have|needs?|awaiting)\b/;
const OTHER_NUMBER = /\b(?:charit|vat|tax|utr|paye|fca|frn|lei|duns|ukprn|urn|oscr)/;
const SEPARATOR = /[,;/|&]|\b(?:or|and)\b/;
/** As the word for a number, *no* stands at the end of a part. */
const ANY_NUMBER = /\bnumbers?\b|\bno(?= *(?:[,;/|&]|$))/;

const COUNTRY =
	/^(?!.*\b(?:birth|residence|nationality)\b).*(?:\b(?:country|jurisdiction|domicile)\b|\b(?:place|state) of (?:incorporation|registration|formation)\b|\bincorporated in\b)/;

/** Headings of names, the clearest first. The last is any name that is no person's, street's or file's. */
const NAMES = [
	new RegExp(`^(?:registered|legal|company|firm|organ\\w{7}|${PARTY})+name$`),
	new RegExp(
		`^(?:company|companies|firms?|societ(?:y|ies)|organ\\w{7}|${PARTY}s?|(?:full|trading)?name)$`,
	),
	/^(?!.*(contact|first|last|fore|middle|given|family|sur|user|owner|manager|partner|director|secretary|officer|staff|person|accountant|product|parent|former|previous|file|street|bank|domain)).*name/,
];
/** A longer text is a sentence, and one with many digits a cell. */
const HEADING = /^(?!(?:\D*\d){5}).{1,80}$/s;

/** Whether a heading says company number. What else it says decides nothing, unless it names someone or something else. */
export function saysCompanyNumber(heading: unknown): boolean {
	if (!HEADING.test(cellText(heading))) return false;
	if (OTHER_NAMES.test(lettersOf(heading))) return true;
	const words = wordsOf(heading);
	const rest = words.replace(COMPANY_NUMBER, '');
	if (rest === words || SOMEONE_ELSE.test(rest)) return false;
	if (NOTE.test(words.slice(0, words.search(COMPANY_NUMBER)))) return false;
	const isShared = OTHER_NUMBER.test(rest) && (SEPARATOR.test(rest) || ANY_NUMBER.test(rest));
	return !isShared && !(SEPARATOR.test(rest) && ANY_NUMBER.test(rest));
}

/** Whether a heading says only that there is a number, or a registration. */
export function isBareNumber(heading: unknown): boolean {
	return BARE_NUMBER.test(lettersOf(heading));
}

/** Whether a heading is of the countries of companies. */
export function isCountry(heading: unknown): boolean {
	return COUNTRY.test(wordsOf(heading));
}

/** The place of a heading among those of names, from 0 for the clearest; -1 for any other. */
export function nameClarity(heading: unknown): number {
	return NAMES.findIndex((known) => known.test(lettersOf(heading)));
}

/** The first word of a heading, as in `SupplierName` and `Supplier Registered Number`. */
export function firstWord(heading: unknown): string | undefined {
	return /[A-Z]*[a-z]*/.exec(cellText(heading))?.[0].toLowerCase();
}

/** The words of a heading in lower case: those of `Company_Number__c` and `CompanyNumber` are the same. */
function wordsOf(heading: unknown): string {
	const text = signsReplaced(heading).replace(/['’]s\b/g, '');
	const apart = text.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ').toLowerCase();
	return apart.replace(/[^a-z\d,;/|&]+/g, ' ').trim();
}

/** What counts of a heading: `Company_No.`, `companyNo` and n8n's `Company #_1` are the same, `No, Company` is no heading. */
function lettersOf(heading: unknown): string {
	return signsReplaced(heading)
		.toLowerCase()
		.replace(/_\d+$|[^a-z0-9,;/\t]/g, '');
}

function signsReplaced(heading: unknown): string {
	return cellText(heading).replace(/#|№|n[°º]/gi, ' no ');
}
