import type { DeliveryHeaders } from '../signatures/headers';

/** More than any sender needs to sign a delivery. */
const MAXIMUM_HEADERS = 40;
const MAXIMUM_NAME_LENGTH = 80;
/** These may hold a password, so not even its length is told. */
const PRIVATE_NAME = /authorization|cookie|password|secret|token|api-?key/;

/** More parts than that are a text and no signature. */
const MAXIMUM_PARTS = 8;
/** Labels that senders put before a part; anything else there may be a part of the value. */
const LABEL =
	/^(?:(?:hmac-)?sha(?:1|256|512)|v\d|h\d?|ts?|s|sig\d?|signature|time|timestamp)(?:=|$)/i;

/** Tried in this order; none of the words quotes a value. */
const SHAPES: Array<[RegExp, (length: number) => string]> = [
	[/^\d{4}-\d\d-\d\dT\d\d:\d\d|^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} /, () => 'date and time'],
	[/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, () => 'UUID'],
	[/^\d+$/, (length) => (length === 1 ? '1 digit' : `${length} digits`)],
	[/^[0-9a-f]{32,}$/i, (length) => `${length} hex characters`],
	[/^[\w+/-]{24,}={0,2}$/, (length) => `${length} base64 characters`],
];

/**
 * The names of a request's headers and what their values look like, such as
 * "x-seal (64 hex characters)": enough to see how a delivery is signed, and no value.
 */
export function describeHeaders(headers: DeliveryHeaders): string {
	const names = Object.keys(headers);
	const described = names
		.slice(0, MAXIMUM_HEADERS)
		.map(
			(name) =>
				`${name.slice(0, MAXIMUM_NAME_LENGTH)} (${PRIVATE_NAME.test(name) ? 'not shown' : look([headers[name] ?? ''].flat().join(', ').trim())})`,
		);
	const left = names.length - described.length;
	return [...described, ...(left > 0 ? [`and ${left} more`] : [])].join('; ');
}

function look(value: string): string {
	if (value === '') return 'empty';
	const pieces = value.split(/([\s,;]+)/);
	return (
		shapeOf(value) ??
		lookOfParts(pieces) ??
		(value.length === 1 ? '1 character' : `${value.length} characters`)
	);
}

function shapeOf(value: string): string | undefined {
	const shape = SHAPES.find(([pattern]) => pattern.test(value));
	return shape?.[1](value.length);
}

/** Such as "t=‹10 digits›,v1=‹64 hex characters›"; undefined when a part is of no known shape. */
function lookOfParts(pieces: string[]): string | undefined {
	if (pieces.length > 2 * MAXIMUM_PARTS) return undefined;
	const looks = pieces.map((piece, index) => {
		// Every other piece is what separates two parts.
		if (index % 2 === 1) return piece;
		const [label = ''] = LABEL.exec(piece) ?? [];
		const value = piece.slice(label.length);
		if (value === '') return label;
		const shape = shapeOf(value);
		return shape && `${label}‹${shape}›`;
	});
	return looks.includes(undefined) ? undefined : looks.join('');
}
