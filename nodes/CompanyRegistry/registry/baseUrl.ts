/**
 * The service's address as requests need it: no trailing slash and no `/v1`, which every route
 * adds itself. A path prefix is kept.
 *
 * Returns undefined unless the value is an http or https address without a user name, password,
 * query or fragment.
 */
export function normaliseBaseUrl(value: unknown): string | undefined {
	if (typeof value !== 'string') return undefined;
	const text = value.trim();
	if (!/^https?:\/\/[^/\s?#\\@][^\s?#\\@]*$/i.test(text) || !URL.canParse(text)) return undefined;
	const { origin, pathname } = new URL(text);
	const segments = pathname.split('/').filter((segment) => segment !== '');
	while (segments.at(-1) === 'v1') segments.pop();
	return [origin, ...segments].join('/');
}

/** The same forgiveness where only an expression can be used: a declarative request's base URL. */
export const baseUrlExpression =
	"={{ ($credentials.baseUrl ?? '').trim().replace(/(\\/+v1)*\\/*$/, '') }}";

/** What to tell a user whose base URL is none. */
export const invalidBaseUrl = {
	message: "The credential's 'Base URL' is not a web address",
	description:
		"Open the credential and enter the address of the service's API as its provider gives it, for example https://api.example.com",
};
