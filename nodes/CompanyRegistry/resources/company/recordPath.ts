const PLACEHOLDER = /\{company[_-]?number\}/gi;
const GET = /^get\s+/i;
const BASE_URL = /^\{base[_-]?url\}/i;
const VERSION = 'v1';
/** No percent signs: a server that decodes twice could read another path in them. */
const PATH_SEGMENT = /^[A-Za-z0-9_~!$&'()*+,=:.-]+$/;
const QUERY = /^(?:[A-Za-z0-9_~!$&'()*+,;=:./?-]|%[0-9A-Fa-f]{2})*$/;
/** Account routes need a session token and have operations of their own. */
const ACCOUNT_ROUTE = /^(keys|usage)(\..*)?$/i;
const CONTROL_IN_QUERY = /%(?:[01][0-9A-Fa-f]|7[Ff])/;

type RecordPath = { path: string } | { refusal: string };

/**
 * Completes a path that a user copied from the service's reference: puts the company number in,
 * and `/v1` in front where it is missing. `GET` and the service's own address before it are left out.
 *
 * The token is sent wherever this path leads. So the path may hold only what a plain path and query
 * need, and whatever could leave `/v1/` or the host is refused, encoded or not.
 */
export function recordPath(template: unknown, companyNumber: string, baseUrl: string): RecordPath {
	if (typeof template !== 'string' || template.trim() === '') return { refusal: 'it is empty' };
	const copied = template.trim().replace(GET, '').replace(BASE_URL, '');
	const isWhole = copied.toLowerCase().startsWith(`${baseUrl.toLowerCase()}/`);
	const filled = copied
		.slice(isWhole ? baseUrl.length : 0)
		.replace(PLACEHOLDER, encodeURIComponent(companyNumber));

	if (/^[a-z][a-z0-9+.-]*:/i.test(filled)) {
		return { refusal: "it leads to another address than the credential's Base URL" };
	}
	if (/[{}]/.test(filled)) return { refusal: 'it has a placeholder other than {company_number}' };

	const [before, ...after] = filled.split('?');
	const query = after.join('?');
	const segments = before.replace(/^\//, '').split('/');
	if (/^v\d+$/i.test(segments[0])) {
		if (segments[0] !== VERSION) return { refusal: 'only paths under /v1 can be read' };
		segments.shift();
	}
	// Some references write a slash at the end. Empty parts elsewhere are refused.
	const parts = segments.at(-1) === '' ? segments.slice(0, -1) : segments;
	if (parts.length === 0) return { refusal: 'nothing follows /v1' };
	if (!parts.every(isPlain) || !QUERY.test(query) || CONTROL_IN_QUERY.test(query)) {
		return { refusal: 'it has characters or parts that do not belong in a path' };
	}
	if (ACCOUNT_ROUTE.test(parts[0])) {
		return { refusal: "it is a route of the account; use the operations of 'Account'" };
	}
	// Without it, every item would get the same company's record.
	if (![...parts, query].some((part) => part.includes(companyNumber))) {
		return { refusal: 'the company number is not in it' };
	}
	const path = `/${VERSION}/${segments.join('/')}`;
	return { path: after.length === 0 ? path : `${path}?${query}` };
}

function isPlain(segment: string): boolean {
	return segment !== '.' && segment !== '..' && PATH_SEGMENT.test(segment);
}
