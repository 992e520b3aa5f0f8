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
	type LinkedList,
} from '../../../nodes/CompanyRegistry/lists/link';
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
const readAnswer = async (body: string | Buffer, status = 200) =>
	await read((await serve((_, response) => void response.status(status).end(body))).url);

function companiesIn({ list }: LinkedList): string[] {
	const listed = 'listed' in list ? list.listed.filter(({ entry }) => entry !== 'none') : [];
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

const utf16 = Buffer.from(`\uFEFF${table('\t')}`, 'utf16le');
const wrongByte = (before: string, after: string) =>
	Buffer.concat([Buffer.from(before), Buffer.from([0xe2]), Buffer.from(after)]);

it.each<[string, string | Buffer, boolean]>([
	['commas', table(','), false],
	['semicolons', table(';'), false],
	["semicolons, and Excel's line of the separator", `sep=;\r\n${table(';')}`, false],
	['tabs', table('\t'), false],
	['a byte order mark', `\uFEFF${table(',')}`, false],
	['windows-1252', Buffer.from(table(','), 'latin1'), true],
	['one line in windows-1252', wrongByte(`${table(',')}\r\nnone,Ch`, 'teau'), true],
	['one such line, of an old Mac', wrongByte(`${table(',')}\rnone,Ch`, 'teau\r'), true],
	['the character for a wrong byte', `${table(',')}\r\nnone,\uFFFD`, false],
	['UTF-16, low byte first', utf16, false],
	['UTF-16, high byte first', Buffer.from(utf16).swap16(), false],
	['UTF-16 without headings', Buffer.from('\uFEFF99000001\tCafé Ltd', 'utf16le'), false],
	['a JSON array', `\uFEFF ${objects}`, false],
	['JSON in UTF-16', Buffer.from(`\uFEFF${objects}`, 'utf16le'), false],
	// Like other formats.
	['PK at its beginning', `PK,${ROWS[0].join(',')}\n---,${ROWS[1].join(',')}`, false],
])('a list with %s is read', async (_what, body, isWindows1252) => {
	const linked = await readAnswer(body);
	expect(companiesIn(linked)).toEqual(['99000001 Café Ltd']);
	expect(linked.isWindows1252).toBe(isWindows1252);
});

it('UTF-16 without its mark is not read', async () => {
	const { list } = await readAnswer(Buffer.from(table(','), 'utf16le'));
	expect(list).toMatchObject({ message: 'The text cannot be read' });
});

it('one line that is no UTF-8 leaves the names in the others as they are', async () => {
	const before = `${table(',')}\r\n99000002,Ch`;
	const linked = await readAnswer(wrongByte(before, 'teau\r\n99000003,\uFFFDé'));
	const names = ['99000001 Café Ltd', '99000002 Château', '99000003 \uFFFDé'];
	expect(companiesIn(linked)).toEqual(names);
});

const row = { 'Company number': '99000001', Client: 'Café Ltd' };
const bare = { Number: '99000001', Client: 'Café Ltd' };
const lines = (...all: object[]) => all.map((one) => JSON.stringify(one)).join('\n');

it.each<[string, string | object]>([
	['an object around the array', { data: [row], nextCursor: null, errors: [] }],
	['objects around the array', { result: { total: 1, records: [row] } }],
	['an item around the array', [{ data: [row, row] }]],
	['an object on each line', `${lines(row, row)}\n`],
	['an object on one line', lines(row)],
	['one row around it', { data: row }],
	['fields inside', { records: [{ id: 'rec1', createdTime: '2026', fields: row }] }],
	['fields inside that say less', [{ fields: bare }, { fields: bare }]],
	['json inside', [{ json: row, pairedItem: { item: 0 } }]],
	['json inside, on each line', lines({ json: row }, { json: row })],
	['attributes inside', { data: [{ type: 'client', id: '1', attributes: row }] }],
	['nodes inside', { data: { clients: { edges: [{ node: row }, { node: row }] } } }],
	['other objects inside', [{ ...row, parent: { 'Company number': '99000009' } }, row]],
])('JSON with %s is read', async (_what, body) => {
	const linked = await readAnswer(typeof body === 'string' ? body : JSON.stringify(body));
	expect(uniq(companiesIn(linked))).toEqual(['99000001 Café Ltd']);
});

const zip = (...names: string[]) => Buffer.from(`PK\u0003\u0004${names.join('\n')}`, 'latin1');

it.each<[string, string | Buffer]>([
	['an Excel file', zip('[Content_Types].xml')],
	['an Excel file', zip('docProps/app.xml', 'xl/workbook.xml')],
	['an Excel file', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
	['an OpenDocument file', zip('mimetypeapplication/vnd.oasis.opendocument.spreadsheet')],
	['a ZIP file', zip('clients.csv')],
	['a PDF file', '%PDF-1.7'],
	['an XML file', '<?xml version="1.0"?>\n<clients/>'],
])('of %s, the failure says so', async (what, body) => {
	const message = `The link leads to ${what}. It must lead to CSV or JSON.`;
	expect(await refusalOf(readAnswer(body))).toBe(message);
});

it('an empty array around which an object stands is an empty list', async () => {
	expect(companiesIn(await readAnswer('{"data":[],"nextCursor":null}'))).toEqual([]);
});

const pages = [' \n<!DOCTYPE html><p>Sign in', '<?xml version="1.0"?>\n<!DOCTYPE html><html/>'];
it.each(pages)('%j may be a sign-in page', async (body) => {
	const message = /^The link leads to a web page, perhaps a sign-in page, at 127\.0\.0\.1/;
	expect(await refusalOf(readAnswer(body))).toMatch(message);
});

it.each<[string, string]>([
	['an array of numbers', '[99000001]'],
	['an object without rows', '{"error":"unauthorized"}'],
	['several arrays', '{"a":[{"b":1}],"c":[{"d":2}]}'],
	['objects within objects', '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)],
	['lines of numbers', '[1]\n[2]'],
	['a mistake', '[{"Company number"'],
])('JSON with %s is refused for good', async (_what, body) => {
	const message =
		/^The list at 127.* does not have exactly one array of objects\. Send one object for each row/;
	expect(await refusalOf(readAnswer(body))).toMatch(message);
});

it.each([
	...[401, 403].map((status) => [status, 'Check the header', false] as const),
	...[304, 400, 422].map((status) => [status, 'Check the link', false] as const),
	...[404, 410].map((status) => [status, 'If a workflow serves the list', false] as const),
	...[408, 425, 429, 500, 502, 503, 504].map((one) => [one, 'Check the link', true] as const),
])('of status %i, the failure says %j; it may pass: %j', async (status, step, isTemporary) => {
	const answer = readAnswer(status === 304 ? '' : table(','), status);
	const message = await refusalOf(answer, isTemporary);
	expect(message).toMatch(
		new RegExp(`^127\\.0\\.0\\.1:\\d+ answers with status ${status}\\. Check the`),
	);
	expect(message).toContain(step);
});

describe('a list that is too large', () => {
	beforeEach(() => Object.assign(LINK_LIMIT, { bytes: 2000 }));

	it('is read up to the limit', async () => {
		const filler = ' '.repeat(2000 - Buffer.byteLength(table(',')));
		expect(companiesIn(await readAnswer(table(',') + filler))).toHaveLength(1);
		const message = await refusalOf(readAnswer(`${table(',')}${filler} `));
		expect(message).toMatch(/is larger than 0\.002 MB\. Link to a list with fewer/);
	});

	it('is not read to its end, and is counted after decompression', async () => {
		const endless = await serve((_, response) => {
			const timer = setInterval(() => response.write('x'.repeat(1000)), 5);
			response.on('close', () => clearInterval(timer));
		});
		expect(await refusalOf(read(endless.url))).toContain('is larger than');
		const packed = await serve((_, response) => {
			response.set('content-encoding', 'gzip').end(gzipSync('x'.repeat(100_000)));
		});
		expect(await refusalOf(read(packed.url))).toContain('is larger than');
	});
});

it.each<[string, RequestHandler | undefined, RegExp]>([
	['nothing listens', undefined, /^n8n cannot reach 127\.0\.0\.1:1 \(ECONNREFUSED\)/],
	['no answer comes in time', () => undefined, /n8n cannot reach .* \(no answer in time\)/],
	['the answer stops', (_, response) => void response.write(table(',')), /\(no answer in time\)/],
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

	const local = ['http://127.0.0.1:1/hidden', 'https://localhost/hidden', 'https://[::1]/hidden'];
	it.each(local)('from another machine to %s is refused', async (location) => {
		const asked: unknown[] = [];
		// No server of a test has an https address that n8n accepts.
		const httpRequest = async ({ url }: { url: string }) => {
			asked.push(url);
			const body = { destroy: () => undefined };
			return await Promise.resolve({ statusCode: 302, headers: { location }, body });
		};
		const link = 'https://list.example.com/hidden-path';
		const outside = { helpers: { httpRequest } } as unknown as IHookFunctions;
		const message = /^The link to list\.example\.com redirects .* on this machine/;
		expect(await refusalOf(readLink(outside, { url: link, ...HEADER }))).toMatch(message);
		expect(asked).toEqual([link]);
	});

	const insecure = ['http://list.example.com/hidden', 'file:///hidden', 'https://[hidden'];
	it.each([...insecure, undefined])('to %s is refused', async (location) => {
		const { url } = await serve((_, response) => {
			if (location) response.setHeader('location', location);
			response.status(302).end();
		});
		const message = /^The link to 127\.0\.0\.1:\d+ redirects .* an address that is not https/;
		expect(await refusalOf(read(url))).toMatch(message);
	});
});

describe('the link', () => {
	const credential = new CompanyRegistryListApi();
	/** As n8n's test of the credential sends it. */
	const authenticate = async (url: string) =>
		await credential.authenticate({ url, ...HEADER }, { url });

	const others = ['', 'hidden', 'http://list.example.com/hidden', 'ftp://127.0.0.1/hidden'];
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
