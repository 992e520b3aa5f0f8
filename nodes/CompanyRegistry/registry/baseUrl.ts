/** A host on which n8n itself runs: what is sent there leaves no machine. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The service's address as requests need it: no trailing slash and no `/v1`, which every route
 * adds itself. A path prefix is kept.
 *
 * Returns undefined unless the value is an https address without a user name, password, query or
 * fragment. For a loopback host it may be http.
 */
export function normaliseBaseUrl(value: unknown): string | undefined {
	if (typeof value !== 'string') return undefined;
	const text = value.trim();
	if (!/^https?:\/\/[^/\s?#\\@][^\s?#\\@]*$/i.test(text) || !URL.canParse(text)) return undefined;
	const { protocol, hostname, origin, pathname } = new URL(text);
	if (protocol === 'http:' && !LOOPBACK.test(hostname)) return undefined;
	const segments = pathname.split('/').filter((segment) => segment !== '');
	while (segments.at(-1) === 'v1') segments.pop();
	return [origin, ...segments].join('/');
}

/** The same forgiveness where only an expression can be used: the base URL of a credential's test. */
export const baseUrlExpression =
	"={{ ($credentials.baseUrl ?? '').trim().replace(/(\\/+v1)*\\/*$/, '') }}";

/** What to tell a user whose base URL is refused. */
export function invalidBaseUrl(value: unknown): { message: string; description: string } {
	if (/^\s*http:/i.test(String(value))) {
		return {
			message: "The credential's 'Base URL' does not start with https",
			description:
				'Over http, others could read the key on its way, so it is not sent. Open the credential and enter the address with https.',
		};
	}
	return {
		message: "The credential's 'Base URL' is not a web address",
		description:
			"Open the credential and enter the address of the service's API as its provider gives it, for example https://api.example.com",
	};
}
