const PLACEHOLDER = /\{company[_-]?number\}/gi;
const GET = /^get\s+/i;
const BASE_URL = /^\{base[_-]?url\}/i;
const VERSION = 'v1';
/** No percent signs: a server that decodes twice could read another path. */
const PATH_SEGMENT = /^[A-Za-z0-9_~!$&'()*+,=:.-]+$/;
const QUERY = /^(?:[A-Za-z0-9_~!$&'()*+,;=:./?-]|%[0-9A-Fa-f]{2})*$/;
/** Account routes have operations of their own. */
const ACCOUNT_ROUTE = /^(keys|usage)(\..*)?$/i;
const CONTROL_IN_QUERY = /%(?:[01][0-9A-Fa-f]|7[Ff])/;

type RecordPath = { path: string } | { refusal: string };

/**
 * Completes a path from the service's reference. The request carries the token, so anything that could leave
 * `/v1/` or the host is refused, encoded or not.
 */
export function recordPath(template: unknown, companyNumber: string, baseUrl: string): RecordPath {
	if (typeof template !== 'string' || template.trim() === '') return { refusal: 'it is empty' };
	const copied = template.trim().replace(GET, '').replace(BASE_URL, '');
	const hasAddress = copied.toLowerCase().startsWith(`${baseUrl.toLowerCase()}/`);
	const filled = copied
		.slice(hasAddress ? baseUrl.length : 0)
		.replace(PLACEHOLDER, encodeURIComponent(companyNumber));

	if (/^[a-z][a-z0-9+.-]*:/i.test(filled)) {
		return { refusal: "it does not lead to the credential's Base URL" };
	}
	if (/[{}]/.test(filled)) return { refusal: 'the only placeholder is {company_number}' };

	const [before, ...after] = filled.split('?');
	const query = after.join('?');
	const segments = before.replace(/^\//, '').split('/');
	if (/^v\d+$/i.test(segments[0])) {
		if (segments[0] !== VERSION) return { refusal: 'only paths under /v1 are allowed' };
		segments.shift();
	}
	// Some references end paths with a slash. Other empty parts are refused.
	const parts = segments.at(-1) === '' ? segments.slice(0, -1) : segments;
	if (parts.length === 0) return { refusal: 'nothing follows /v1' };
	if (!parts.every(isPlain) || !QUERY.test(query) || CONTROL_IN_QUERY.test(query)) {
		return { refusal: 'it has characters or parts that are not allowed in a path' };
	}
	if (ACCOUNT_ROUTE.test(parts[0])) {
		return { refusal: "it is an account route; use the operations of 'Account'" };
	}
	// Otherwise every item would get the same record.
	if (![...parts, query].some((part) => part.includes(companyNumber))) {
		return { refusal: 'it does not contain the company number' };
	}
	const path = `/${VERSION}/${segments.join('/')}`;
	return { path: after.length === 0 ? path : `${path}?${query}` };
}

function isPlain(segment: string): boolean {
	return segment !== '.' && segment !== '..' && PATH_SEGMENT.test(segment);
}
