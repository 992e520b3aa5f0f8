// What a followed link may lead to, and what its failures say: the host only, never its path, query or header.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import express, { type RequestHandler } from 'express';
import { map, uniq } from 'lodash';
import type { IHookFunctions } from 'n8n-workflow';

import {
	LINK_LIMIT,
	LinkFailure,
	linkRules,
	readLink,
} from '../../../nodes/CompanyRegistry/lists/link';
import type { List } from '../../../nodes/CompanyRegistry/lists/list';
import { CompanyRegistryListApi } from '../../../credentials/CompanyRegistryListApi.credentials';
import { rejectionOf } from '../../../nodes/CompanyRegistry/shared/async';
import { hookContext } from '../../support/contexts';
import { watch } from '../../support/savedWorkflow';

const HEADER = { headerName: 'X-List', headerValue: 'hidden-header' };
const context = hookContext(watch({ url: 'https://registry.example.com', apiKey: '' }, []).load());
const limits = { ...LINK_LIMIT };

/** A server, and the header that each request to it had. */
async function serve(handler: RequestHandler) {
	const headers: unknown[] = [];
	const app = express().use((request, response, next) => {
		headers.push(request.headers['x-list']);
		void handler(request, response, next);
	});
	const server = app.listen(0, '127.0.0.1');
	await once(server, 'listening');
	servers.push(server);
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}/hidden-path?key=hidden-query`, headers };
}
const servers: Array<{ close: () => void; closeAllConnections: () => void }> = [];

afterEach(() => {
	Object.assign(LINK_LIMIT, limits);
	for (const server of servers.splice(0)) {
		server.closeAllConnections();
		server.close();
	}
});

const read = async (url: string) => await readLink(context, { url, ...HEADER });
const OUTSIDE = 'https://list.example.com/hidden-path';
/** Reads with n8n's helper replaced, because no server of a test has an https address that n8n accepts. */
const readOutside = async (httpRequest: (request: { url: string }) => Promise<unknown>) =>
	await readLink({ helpers: { httpRequest } } as unknown as IHookFunctions, {
		url: OUTSIDE,
		...HEADER,
	});
const readAnswer = async (body: string | Buffer, status = 200) =>
	await read((await serve((_, response) => void response.status(status).end(body))).url);

function companiesIn(list: List): string[] {
	const listed = 'listed' in list ? list.listed : [];
	return listed.map(({ number, name }) => `${number} ${name}`);
}

/** The words of a failure, which has nothing hidden in it. */
async function refusalOf(reading: Promise<unknown>, isTemporary = false): Promise<string> {
	const failure = await rejectionOf(reading);
	if (!(failure instanceof LinkFailure)) throw new Error('It was no failure of a link');
	const all = JSON.stringify([failure.stack, ...Object.values(failure)]);
	expect(all).not.toMatch(/hidden/);
	expect([failure.cause, failure.isTemporary]).toEqual([undefined, isTemporary]);
	return failure.message;
}

const ROWS = [
	['Company number', 'Client'],
	['99000001', 'Café Ltd'],
];
const table = (separator: string) => map(ROWS, (row) => row.join(separator)).join('\r\n');
const objects = JSON.stringify([{ id: 1, 'Company number': 99_000_001, Client: 'Café Ltd' }]);

it.each<[string, string | Buffer]>([
	['commas', table(',')],
	["semicolons, and Excel's line of the separator", `sep=;\r\n${table(';')}`],
	['a byte order mark', `\uFEFF${table(',')}`],
	['windows-1252', Buffer.from(table(','), 'latin1')],
	["UTF-16, as Excel's Unicode Text", Buffer.from(`\uFEFF${table('\t')}`, 'utf16le')],
	['a JSON array', `\uFEFF ${objects}`],
])('a list with %s is read', async (_what, body) => {
	expect(companiesIn(await readAnswer(body))).toEqual(['99000001 Café Ltd']);
});

it('one line that is no UTF-8 leaves the names in the others as they are', async () => {
	const latin = Buffer.from('99000002,Ch\xE2teau\r\n', 'latin1');
	const body = [Buffer.from(`${table(',')}\r\n`), latin, Buffer.from('99000003,\uFFFDé')];
	const names = ['99000001 Café Ltd', '99000002 Château', '99000003 \uFFFDé'];
	expect(companiesIn(await readAnswer(Buffer.concat(body)))).toEqual(names);
});

const row = { 'Company number': '99000001', Client: 'Café Ltd' };

it.each<[string, object]>([
	['an object around the array', { data: [row], nextCursor: null, errors: [] }],
	['objects around the array', { result: { total: 1, records: [row] } }],
	['an item around the array', [{ data: [row, row] }]],
	['other objects inside', [{ ...row, parent: { 'Company number': '99000009' } }, row]],
])('JSON with %s is read', async (_what, body) => {
	const linked = await readAnswer(JSON.stringify(body));
	expect(uniq(companiesIn(linked))).toEqual(['99000001 Café Ltd']);
});

it('an empty array around which an object stands is an empty list', async () => {
	expect(companiesIn(await readAnswer('{"data":[],"nextCursor":null}'))).toEqual([]);
});

const OTHER_FORMAT = /such as Excel or PDF/;
const WEB_PAGE = /^The link leads to a web page, perhaps a sign-in page, at 127\.0\.0\.1/;
const OTHER_JSON =
	/^The list at 127.* does not have exactly one array of objects\. Send one object/;

it.each<[string, string | Buffer, RegExp]>([
	['Excel', Buffer.from('PK\u0003\u0004[Content_Types].xml', 'latin1'), OTHER_FORMAT],
	['Excel 97', Buffer.from('d0cf11e0a1b11ae1', 'hex'), OTHER_FORMAT],
	['PDF', '%PDF-1.7', OTHER_FORMAT],
	['a web page', ' \n<!DOCTYPE html><p>Sign in', WEB_PAGE],
	['JSON without rows', '{"error":"unauthorized"}', OTHER_JSON],
	['JSON with several arrays', '{"a":[{"b":1}],"c":[{"d":2}]}', OTHER_JSON],
	['a row alone in JSON', JSON.stringify(row), OTHER_JSON],
	['JSON with a mistake', '[{"Company number"', OTHER_JSON],
])('%s is refused for good', async (_what, body, message) => {
	expect(await refusalOf(readAnswer(body))).toMatch(message);
});

it.each<[number, string, boolean]>([
	[401, 'Check the header', false],
	[404, 'If a workflow serves the list', false],
	[400, 'Check the link', false],
	...[408, 429, 503].map((status): [number, string, boolean] => [status, 'Check the link', true]),
])('of status %i, the failure says %j; it may pass: %j', async (status, step, isTemporary) => {
	const message = await refusalOf(readAnswer(table(','), status), isTemporary);
	expect(message).toMatch(
		new RegExp(`^127\\.0\\.0\\.1:\\d+ answers with status ${status}\\. Check the`),
	);
	expect(message).toContain(step);
});

it('a list that is too large after decompression is not read to its end', async () => {
	LINK_LIMIT.bytes = 2000;
	const filler = ' '.repeat(2000 - Buffer.byteLength(table(',')));
	expect(companiesIn(await readAnswer(table(',') + filler))).toHaveLength(1);
	const endless = await serve((_, response) => {
		const timer = setInterval(() => response.write('x'.repeat(1000)), 5);
		response.on('close', () => clearInterval(timer));
	});
	const message = /is larger than 0\.002 MB\. Link to a list with fewer/;
	expect(await refusalOf(read(endless.url))).toMatch(message);
	const packed = await serve((_, response) => {
		response.set('content-encoding', 'gzip').end(gzipSync('x'.repeat(100_000)));
	});
	expect(await refusalOf(read(packed.url))).toMatch(message);
});

it.each<[string, RequestHandler | undefined, RegExp]>([
	['nothing listens', undefined, /^n8n cannot reach 127\.0\.0\.1:1 \(ECONNREFUSED\)/],
	['no answer comes in time', () => undefined, /n8n cannot reach .* \(no answer in time\)/],
	[
		'the answer breaks off',
		({ socket }, response) => {
			response.set('content-length', '1000').write(table(','), () => socket.destroy());
		},
		/n8n cannot reach/,
	],
])('a link may be reached later where %s', async (_what, handler, message) => {
	LINK_LIMIT.inAll = 200;
	const { url } = handler ? await serve(handler) : { url: 'http://127.0.0.1:1/hidden' };
	expect(await refusalOf(read(url), true)).toMatch(message);
});

describe('a redirect', () => {
	/** Redirects so many times before it answers. */
	const redirecting = async (times: number) => {
		let left = times;
		return await serve((_, response) => {
			if (left-- > 0) response.redirect(left % 2 ? 302 : 307, `/hidden-${left}`);
			else response.end(table(','));
		});
	};

	it('is followed five times with the header, and not a sixth time', async () => {
		const five = await redirecting(5);
		expect(companiesIn(await read(five.url))).toHaveLength(1);
		expect(five.headers).toEqual(Array(6).fill(HEADER.headerValue));
		const six = await redirecting(6);
		const message = /^The link to 127\.0\.0\.1:\d+ redirects too often/;
		expect(await refusalOf(read(six.url))).toMatch(message);
		expect(six.headers).toHaveLength(6);
	});

	it('to another origin goes without the header', async () => {
		const other = await serve((_, response) => void response.end(table(',')));
		const first = await serve((_, response) => response.redirect(other.url));
		expect(companiesIn(await read(first.url))).toHaveLength(1);
		expect([first.headers, other.headers]).toEqual([[HEADER.headerValue], [undefined]]);
	});

	it('from another machine to this one is refused', async () => {
		const location = 'https://localhost/hidden';
		const asked: unknown[] = [];
		const reading = readOutside(async ({ url }) => {
			asked.push(url);
			const body = { destroy: () => undefined };
			return await Promise.resolve({ statusCode: 302, headers: { location }, body });
		});
		const message = /^The link to list\.example\.com redirects .* on this machine/;
		expect(await refusalOf(reading)).toMatch(message);
		expect(asked).toEqual([OUTSIDE]);
	});

	it.each(['http://list.example.com/hidden', undefined])('to %s is refused', async (location) => {
		const { url } = await serve((_, response) => {
			if (location) response.setHeader('location', location);
			response.status(302).end();
		});
		const message = /^The link to 127\.0\.0\.1:\d+ redirects .* an address that is not https/;
		expect(await refusalOf(read(url))).toMatch(message);
	});
});

it('a private address that n8n protects is named with the setting that allows it', async () => {
	const words = 'The request was blocked because it resolves to a restricted IP address';
	const blocked = new Error('fetch failed', { cause: new Error(words) });
	const reading = readOutside(async () => await Promise.reject(blocked));
	expect(await refusalOf(reading)).toMatch(/list\.example\.com.*N8N_SSRF_ALLOWED_IP_RANGES/);
});

describe('the link', () => {
	const credential = new CompanyRegistryListApi();
	/** As n8n's test of the credential sends it. */
	const authenticate = async (url: string) =>
		await credential.authenticate({ url, ...HEADER }, { url });

	const others = ['', 'hidden', 'http://list.example.com/hidden'];
	it.each(others)('%j is refused, by the test of the credential, too', async (url) => {
		expect(await refusalOf(read(url))).toMatch(/^The link is not an https address\./);
		await expect(authenticate(url)).rejects.toThrow(/not an https address/);
	});

	it('gets the header of the credential in its test, too, and none where it has none', async () => {
		const { url, headers } = await serve((_, response) => void response.end(table(',')));
		await readLink(context, { url: ` ${url} `, headerName: ' ', headerValue: 'hidden' });
		expect(headers).toEqual([undefined]);
		expect(await authenticate(` ${url}`)).toEqual({ url, headers: { 'X-List': 'hidden-header' } });
	});

	it.each([302, 401, 404])('has words of its own for status %i in that test', (value) => {
		const message = expect.stringMatching(/^The (link|server) /);
		expect(linkRules?.map(({ properties }) => properties)).toContainEqual({ value, message });
	});
});
