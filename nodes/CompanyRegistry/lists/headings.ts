import { cellText } from '../shared/format';

const COMPANY = '(?:company|companies|co|ch)(?: ?house)?';
const REGISTRATION = '(?:reg[nd]?|registration|registered|register|incorporation)';
const NUMBER = '(?:numbers?|nos?|nr|num)';
const PARTY =
	'(?:client|customer|supplier|vendor|contractor|payee|beneficiary|provider|employer|donor|business|entity)';
const WHOSE = `(?:${PARTY}|charity|limited|ltd|legal|uk)?`;

/** A company's number in the words of a heading. One between companies is of an account. */
const COMPANY_NUMBER = new RegExp(
	`(?<!inter ?)(?:company|companies|\\bco|\\bch)(?: ?house)?(?: ?${REGISTRATION})?[ /]?${NUMBER}\\b(?! (?:of|longer)\\b)|\\b(?:uk|co|company)?crn(?: ?${NUMBER})?\\b`,
	'g',
);
/** Its other names, as one word. With more words, they may say something else. */
const OTHER_NAMES = new RegExp(
	`^${WHOSE}(?:${COMPANY}(?:reg|regn|registration)|${REGISTRATION}?${NUMBER}${COMPANY})(?:crn|uk|8digits)?$`,
);
const BARE_NUMBER = new RegExp(`^(?:${WHOSE}${REGISTRATION})?${NUMBER}$`);

/** A heading with these words is of another company's number. */
const SOMEONE_ELSE =
	/\b(?:parent|previous|former|predecessor|holding|ultimate)|\b(?:old|prev|prior)\b/;
/** Before it, these words make a note: "no company number". */
const NOTE = /\b(?:no|not|without|missing|unknown|check|see|has|have|needs?|awaiting)\b/;
/** Two of these beside it make a heading of several numbers: "company or charity number", "company VAT no". */
const SIGNS_OF_ANOTHER_NUMBER = [
	/\b(?:charit|vat|tax|utr|paye|fca|frn|lei|duns|ukprn|urn|oscr)/,
	/[,;/|&]|\b(?:or|and)\b/,
	// As the word for a number, *no* is at the end of a part.
	/\bnumbers?\b|\bno(?= *(?:[,;/|&]|$))/,
];

const COUNTRY =
	/^(?!.*\b(?:birth|residence|nationality)\b).*(?:\b(?:country|countries|nation|jurisdiction|domicile)\b|\b(?:place|state) of (?:inc|incorporation|registration|formation)\b|\b(?:incorporated|registered|formed) in\b)/;
const EMAIL = /\be?mails?(?![a-z])/;

/** Headings of names as one word, the clearest first. The last is any name that is no person's, street's or file's. */
const NAMES = [
	new RegExp(`^(?:registered|legal|company|firm|organ\\w{7}|${PARTY})+name$`),
	new RegExp(
		`^(?:company|companies|firms?|societ(?:y|ies)|organ\\w{7}|${PARTY}s?|(?:full|trading)?name)$`,
	),
	/^(?!.*(contact|first|last|fore|middle|given|family|sur|user|owner|manager|partner|director|secretary|officer|psc|holder|trustee|signatory|employee|staff|person|chair|agent|adviser|advisor|accountant|auditor|solicitor|lender|buyer|authority|product|parent|former|previous|file|sheet|site|campaign|street|town|city|country|bank|domain)).*name/,
];
/** As Xero, an accounting system, exports its clients. Without the star, a contact's name is a person's. */
const ACCOUNTING_NAME = /^\*contact ?name$/i;
/** A longer text is a sentence, and one with many digits a cell, unless they are an example, as in the questions of forms. */
const HEADING = /^(?!(?:\D*\d){5}).{1,80}$/s;
const EXAMPLE = /\be\.?g\b.*/is;

/** Whether a heading says company number. What else it says decides nothing, unless it names someone or something else. */
export function saysCompanyNumber(heading: unknown): boolean {
	if (!HEADING.test(cellText(heading).replace(EXAMPLE, ''))) return false;
	if (OTHER_NAMES.test(asOneWord(heading))) return true;
	const words = wordsOf(heading);
	const before = words.slice(0, Math.max(0, words.search(COMPANY_NUMBER)));
	const rest = words.replace(COMPANY_NUMBER, '');
	const isOther = rest === words || SOMEONE_ELSE.test(rest) || NOTE.test(before);
	return !isOther && SIGNS_OF_ANOTHER_NUMBER.filter((sign) => sign.test(rest)).length < 2;
}

/** Whether a heading says only that there is a number, or a registration. */
export function isBareNumber(heading: unknown): boolean {
	return BARE_NUMBER.test(asOneWord(heading));
}

/** Whether a heading is of the countries of companies. */
export function isCountry(heading: unknown): boolean {
	return COUNTRY.test(wordsOf(heading));
}

/** Whether a heading is of email addresses. */
export function isEmail(heading: unknown): boolean {
	return EMAIL.test(wordsOf(heading));
}

/** The place of a heading among those of names, from 0 for the clearest; -1 for any other. */
export function nameClarity(heading: unknown): number {
	if (ACCOUNTING_NAME.test(cellText(heading))) return 0;
	return NAMES.findIndex((known) => known.test(asOneWord(heading)));
}

/** The first word of a heading, as in `SupplierName` and `Supplier Registered Number`. */
export function firstWord(heading: unknown): string {
	return wordsOf(heading).split(' ')[0];
}

/** The words of a heading in lower case: those of `Company_Number__c` and `CompanyNumber` are the same. */
function wordsOf(heading: unknown): string {
	const text = cellText(heading).replace(/#|№|n[°º]/gi, ' no ');
	const apart = text.replace(/['’]s\b/g, '').replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ');
	return apart
		.toLowerCase()
		.replace(/[^a-z\d,;/|&]+/g, ' ')
		.trim();
}

/** The words without the number that systems add: `Company_No.`, `companyNo` and n8n's `Company #_1` are the same. */
function asOneWord(heading: unknown): string {
	return wordsOf(heading).replace(/ \d+$| /g, '');
}
