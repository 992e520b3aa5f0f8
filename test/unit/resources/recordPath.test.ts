// The path of a record: only one with the company number is accepted.
import fc from 'fast-check';

import { recordPath } from '../../../nodes/CompanyRegistry/resources/company/recordPath';

const NUMBER = '00445790';
const BASE_URL = 'https://api.example.com/prefix';

it.each([
	['/firm/{company_number}', '/v1/firm/00445790'],
	['firm/{companyNumber}/', '/v1/firm/00445790/'],
	[' /v1/firm/{COMPANY_NUMBER} ', '/v1/firm/00445790'],
	['/v1/firm/00445790', '/v1/firm/00445790'],
	['/v1/firm/{company_number}?n={company_number}&p=2', '/v1/firm/00445790?n=00445790&p=2'],
	['/v1/firm/{company_number}?at=1T00:00Z&q=a%2Fb', '/v1/firm/00445790?at=1T00:00Z&q=a%2Fb'],
	['/v1/firm/{company_number}/keys', '/v1/firm/00445790/keys'],
	['/v1/keyset/{company_number}', '/v1/keyset/00445790'],
	['get  firm/{company_number}', '/v1/firm/00445790'],
	['{base_url}/v1/firm/{company_number}', '/v1/firm/00445790'],
	[`GET ${BASE_URL.toUpperCase()}/firm/{company_number}?page=2`, '/v1/firm/00445790?page=2'],
])('%j becomes %s', (template, path) => {
	expect(recordPath(template, NUMBER, BASE_URL)).toEqual({ path });
});

const INVALID = [
	...['', '/', '/v1', 'https://evil.example/v1/x', 'http://api.example.com/prefix/v1/x'],
	...['https://api.example.com/prefix.evil.example/v1/x', `${BASE_URL}//evil.example/x`],
	...['POST /v1/x', '/v1//x', '/\\evil.example', '/v1/../admin', '/v1/./x', '/v1/..%2fadmin'],
	...['/v1/..;/admin', '/v1/a@evil.example', '/v1/x#top', '/v1/x?y=%0d%0aHost:evil'],
	...['/v1/x\r\nHost: evil', '/v2/x', '/v1/{id}', '/v1/é', undefined],
];
const OTHER_COMPANY = ['/v1/firm', '/v1/firm?number=00000006', '/v1/firm/0044579/officers'];
const ACCOUNT = ['keys', 'usage'].flatMap((route) => [
	...[`/v1/${route}`, `${route}/`, `/v1/${route.toUpperCase()}/{company_number}`],
	...[`/${route}.json?number={company_number}`, `/v1/${route}/a/{company_number}/`],
]);
const NO_NUMBER = 'it does not contain the company number';

it.each([
	...INVALID.map((template) => [template, expect.not.stringContaining(NO_NUMBER) as string]),
	...OTHER_COMPANY.map((template) => [template, NO_NUMBER]),
	...ACCOUNT.map((template) => [template, expect.stringContaining('an account route') as string]),
])('%j is refused', (template, refusal) => {
	expect(recordPath(template, NUMBER, BASE_URL)).toEqual({ refusal });
});

it('never leaves the host or /v1/, even if decoded several times', () => {
	const piece = fc.constantFrom(
		...'/ \\ .. . %2e %2E%2e %252e %2f %5c %25 @ : ; ? # v1 evil.example https: a é %C3%A9'.split(
			' ',
		),
		...[BASE_URL, 'GET ', '{base_url}', '{company_number}', '%00', '\t', '\n', '\u0000', ' '],
	);
	const template = fc.oneof(
		fc.array(piece, { maxLength: 12 }).map((all) => all.join('')),
		fc.array(piece, { maxLength: 4 }).map((all) => `x/{company_number}${all.join('')}`),
		fc.array(piece, { maxLength: 4 }).map((all) => `${BASE_URL}/{company_number}${all.join('')}`),
		fc.string(),
	);
	let accepted = 0;
	fc.assert(
		fc.property(template, (text) => {
			const result = recordPath(text, NUMBER, BASE_URL);
			if ('refusal' in result) return;
			accepted++;
			let decoded = result.path.split('?')[0];
			for (let times = 0; times < 4; times++) {
				const url = new URL(BASE_URL + decoded);
				expect(url.origin).toBe('https://api.example.com');
				expect(url.pathname).toMatch(/^\/prefix\/v1\/[^/]/);
				expect(url.hash + url.username).toBe('');
				decoded = decodeURIComponent(decoded);
			}
		}),
		{ numRuns: 5000 },
	);
	expect(accepted).toBeGreaterThan(100);
});
