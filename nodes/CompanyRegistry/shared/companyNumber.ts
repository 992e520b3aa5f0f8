import { showValue } from './showValue';

const NUMBER_LENGTH = 8;

/** Digits alone lose their leading zeros in spreadsheets; so do the digits after a two-letter prefix. */
const PADDABLE = /^([A-Z]{2})?(\d+)$/;

/**
 * The register's own form of a company number: 8 characters, letters and digits, upper case.
 *
 * Accepts strings in any case with spaces anywhere, and whole numbers: `445790`, `' sc1234 '`,
 * `'R0000521'`. Returns undefined for what cannot be a company number.
 */
export function normaliseCompanyNumber(value: unknown): string | undefined {
	const text = asText(value);
	// Checked before upper-casing, which would turn some other letters into A to Z.
	if (!/^[A-Za-z0-9]{1,8}$/.test(text)) return undefined;
	const number = zeroPadded(text.toUpperCase());
	return number.length === NUMBER_LENGTH ? number : undefined;
}

/**
 * A number that the service sent, in the form in which numbers are compared: it may come without its
 * leading zeros. What is no company number stays as it is.
 */
export function comparableNumber(received: string): string {
	return normaliseCompanyNumber(received) ?? received;
}

/** What to tell a user whose value is no company number; the value is shown, shortened if long. */
export function invalidCompanyNumber(value: unknown): { message: string; description: string } {
	const shown = showValue(value);
	return {
		message: shown ? `${shown} is not a company number` : "'Company Number' is empty",
		description:
			'Enter 8 letters and digits, for example 00445790 or SC123456. Leading zeros are optional. You can also choose the company from the list.',
	};
}

/** The characters that count; none for what is neither text nor a whole number. */
function asText(value: unknown): string {
	if (typeof value === 'string') return value.replace(/\s/g, '');
	return Number.isSafeInteger(value) ? String(value) : '';
}

function zeroPadded(text: string): string {
	return text.replace(
		PADDABLE,
		(_all, prefix: string = '', digits: string) =>
			prefix + digits.padStart(NUMBER_LENGTH - prefix.length, '0'),
	);
}
