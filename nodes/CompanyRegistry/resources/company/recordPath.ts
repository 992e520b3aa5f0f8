const PLACEHOLDER = /\{company[_-]?number\}/gi;
/** The start of an address, which references write before a path. */
const BEFORE_PATH = /^(?:get\s+)?(?:\{base[_-]?url\})?/i;
/** No percent signs: a server that decodes twice could read another path. */
const PATH_SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9_~!$&'()*+,=:.-]+$/;
/** No encoded control characters. */
const QUERY = /^(?:[A-Za-z0-9_~!$&'()*+,;=:./?-]|%(?![01]|7F)[0-9A-F]{2})*$/i;
/** Account routes have operations of their own. */
const ACCOUNT_ROUTE = /^(?:keys|usage)(?:[./]|$)/i;

type RecordPath = { path: string } | { refusal: string };

/**
 * Completes a path from the service's reference. The request carries the token, so anything that could leave
 * `/v1/` or the host is refused, encoded or not.
 */
export function recordPath(template: unknown, companyNumber: string, baseUrl: string): RecordPath {
	if (typeof template !== 'string' || template.trim() === '') return { refusal: 'it is empty' };
	const copied = template.trim().replace(BEFORE_PATH, '');
	const hasAddress = copied.toLowerCase().startsWith(`${baseUrl.toLowerCase()}/`);
	const filled = copied.slice(hasAddress ? baseUrl.length : 0).replace(PLACEHOLDER, companyNumber);

	if (/^[a-z][a-z0-9+.-]*:/i.test(filled)) {
		return { refusal: "it does not lead to the credential's Base URL" };
	}
	if (/[{}]/.test(filled)) return { refusal: 'the only placeholder is {company_number}' };

	const [before, ...after] = filled.split('?');
	const query = after.join('?');
	const path = before.replace(/^\/?(?:v1\/|v1$)?/, '');
	if (path === '') return { refusal: 'nothing follows /v1' };
	if (/^v\d+(?:\/|$)/i.test(path)) return { refusal: 'only paths under /v1 are allowed' };
	// Some references end paths with a slash. Other empty segments are refused.
	const segments = path.replace(/\/$/, '').split('/');
	if (!segments.every((segment) => PATH_SEGMENT.test(segment)) || !QUERY.test(query)) {
		return { refusal: 'it has characters or parts that are not allowed in a path' };
	}
	if (ACCOUNT_ROUTE.test(path)) {
		return { refusal: "it is an account route; use the operations of 'Account'" };
	}
	// Otherwise every item would get the same record.
	if (!filled.includes(companyNumber)) {
		return { refusal: 'it does not contain the company number' };
	}
	return { path: `/v1/${path}${after.length > 0 ? `?${query}` : ''}` };
}
