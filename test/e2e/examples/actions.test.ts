// The examples that begin with an action node, each run in a real n8n.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { errorOf, outputOf } from '../../n8n-host/execution';
import type { Execution } from '../../n8n-host/n8nTypes';
import { call, createWebhook } from '../../simulator/client';
import { useSurroundings } from '../surroundings';
import { importExample, jsonOf, useMailServer, type ImportedExample } from './importedExample';
import { findTable } from './dataTables';

const REGISTER = 'https://find-and-update.company-information.service.gov.uk/company';

const surroundings = useSurroundings({ isWhole: true });
const mailServer = useMailServer(surroundings);

/** Gives the example's account an active webhook of each company. */
async function watch({ account }: ImportedExample, companyNumbers: string[]): Promise<void> {
	for (const companyNumber of companyNumbers) {
		await createWebhook({ ...surroundings.simulator, ...account }, undefined, companyNumber);
	}
}

async function pause({ account }: ImportedExample, id: string): Promise<void> {
	const changes = { body: { is_active: false }, token: account.apiKey };
	await call(surroundings.simulator, 'PATCH', `/v1/webhooks/${id}`, changes);
}

const WRITE_FILE = `
	const { utils, write } = require('@e965/xlsx');
	const [rows, bookType] = process.argv.slice(1);
	const book = utils.book_new();
	utils.book_append_sheet(book, utils.json_to_sheet(JSON.parse(rows)), 'Portfolio');
	process.stdout.write(write(book, { type: 'buffer', bookType }));
`;

/**
 * The bytes of a spreadsheet file with these rows under a row of headings; a CSV file begins with a
 * byte order mark, as Excel's do. The library is the one that n8n brings, which jest must not see.
 */
function spreadsheet(rows: Array<Record<string, string | number>>, format: 'xlsx' | 'csv'): Buffer {
	const cwd = join(__dirname, '../../n8n-host');
	return execFileSync(process.execPath, ['-e', WRITE_FILE, JSON.stringify(rows), format], { cwd });
}

const MIME_TYPES = {
	csv: 'text/csv',
	xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** Submits the form that "Execute workflow" opens. */
async function upload(
	{ workflow: { id, nodes } }: ImportedExample,
	rows: Array<Record<string, string | number>>,
	format: keyof typeof MIME_TYPES,
): Promise<Execution> {
	const { client, host } = surroundings;
	const form = nodes.find(({ name }) => name === 'Upload Spreadsheet');
	await client.listenForTestEvent(id, 'Upload Spreadsheet');
	const bytes = new Uint8Array(spreadsheet(rows, format));
	const body = new FormData();
	body.append(
		'field-0',
		new File([bytes], `Clients.${format.toUpperCase()}`, { type: MIME_TYPES[format] }),
	);
	const before = await client.executions(id);
	const answer = await fetch(`${host.url}/form-test/${form?.webhookId}`, { method: 'POST', body });
	expect(answer.status).toBe(200);
	return await client.waitForNextExecution(id, before);
}

it('check-portfolio adds to each row of an Excel file whether its company is watched', async () => {
	const example = await importExample(surroundings, 'check-portfolio');
	await watch(example, ['00445790', 'SC099001', '97000001', '97000002', 'R0000521']);
	await pause(example, example.webhooks()[2].id);
	const rows = [
		{ Ref: 1001, 'Company No.': 445790, 'Company Name': 'Zeros lost' },
		{ Ref: 1002, 'Company No.': '00445790', 'Company Name': 'ZEROS LOST' },
		{ Ref: 1003, 'Company No.': ' sc 99001', 'Company Name': 'Written by hand' },
		{ Ref: 1004, 'Company No.': '97000001', 'Company Name': 'Paused' },
		{ Ref: 1005, 'Company No.': 99000009, 'Company Name': 'New' },
		{ Ref: 1006, 'Company No.': 'R0000521', 'Company Name': 'With letters' },
		{ Ref: 1007, 'Company No.': 'sole trader', 'Company Name': 'Unknown' },
	];

	const execution = await upload(example, rows, 'xlsx');

	const states = jsonOf(execution, 'Compare with Account');
	expect(states.map((row) => Object.values(row).slice(0, 3))).toEqual([
		['sole trader', 'Unknown', 'no company number'],
		['99000009', 'New', 'not watched'],
		['97000001', 'Paused', 'paused'],
		['97000002', null, 'watched but not in the list'],
		['00445790', 'Zeros lost', 'watched'],
		['SC099001', 'Written by hand', 'watched'],
		['R0000521', 'With letters', 'watched'],
	]);
	const lines = jsonOf(execution, 'Add Your Columns');
	expect(lines[2]).toMatchObject({ Ref: 1004, state: 'paused', events: 'filing.new' });
	const columns = ['Ref', 'Company No.', 'Company Name', 'company_number', 'company_name', 'state'];
	for (const line of lines) expect(Object.keys(line).slice(0, 6)).toEqual(columns);
	expect(lines[3]).toMatchObject({ Ref: '', company_number: '97000002', company_name: null });
	expect(lines[4]).toMatchObject({ Ref: 1001, 'Company No.': 445790, company_number: '00445790' });
	expect(lines.at(-1)).toMatchObject({
		webhook_id: example.webhooks()[4].id,
		base_url: surroundings.simulator.url,
		checked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/),
	});
	const [{ binary }] = outputOf(execution, 'Convert to Spreadsheet');
	expect(binary?.data.fileName).toMatch(/^client-list-as-of-\d{4}-\d\d-\d\d-\d{4}\.xlsx$/);
	expect(example.webhooks()).toHaveLength(5);
});

it('check-portfolio reads a CSV file with a byte order mark, empty cells and a column called like a result', async () => {
	const example = await importExample(surroundings, 'check-portfolio');
	await watch(example, ['00445790']);
	const rows = [
		{ 'Company No.': '00445790', 'Company Name': 'Étoile Ltd', state: '' },
		{ 'Company No.': '99000001', 'Company Name': 'Tessellate', state: 'Kent' },
	];

	const lines = jsonOf(await upload(example, rows, 'csv'), 'Add Your Columns');

	expect(lines).toMatchObject([
		{ 'state (your list)': 'Kent', company_number: '99000001', state: 'not watched', events: '' },
		{ 'Company Name': 'Étoile Ltd', company_number: '00445790', state: 'watched' },
	]);
});

describe('find-company-numbers', () => {
	it('adds numbers, matches and candidates to a CSV file of names', async () => {
		const example = await importExample(surroundings, 'find-company-numbers');
		const names = [
			'tessellate stores PLC',
			'Glen Orrin Distillers Ltd.',
			'Kestrel',
			'',
			'Nobody at All',
		];
		const rows = names.map((name, index) => ({
			// With the byte order mark before it.
			'Client name': name,
			'Client ref': index + 1,
			Partner: 'JD',
		}));

		const execution = await upload(example, rows, 'csv');

		const found = jsonOf(execution, 'Sort Unclear Rows First');
		expect(found.map((row) => [row['Client ref'], row.company_number, row.match])).toEqual([
			['3', null, 'check'],
			['4', null, 'none'],
			['5', null, 'none'],
			['1', '99000001', 'exact'],
			['2', 'SC993456', 'exact'],
		]);
		expect(found[0].candidates).toMatch(/^\w{8} KESTREL & FOX PUBLISHING LIMITED \(active\)/);
		const [{ binary }] = outputOf(execution, 'Convert to Spreadsheet');
		expect(binary?.data).toMatchObject({ fileName: 'company-numbers.xlsx' });
	});

	it('keeps what it found when the service fails, and a second run asks only for the rest', async () => {
		const { simulator } = surroundings;
		const example = await importExample(surroundings, 'find-company-numbers');
		const rows = Array.from({ length: 50 }, (_, ref) => ({ Client: `Nobody ${ref}`, ref }));
		// Such as a plan that is used up.
		const action = { status: 402 };
		simulator.fault({ path: /search/, nth: 25, times: Infinity, action });

		const first = await upload(example, rows, 'xlsx');

		// The last one puts out what the loop has collected.
		expect(first.data.resultData.runData['Twenty at a Time']).toHaveLength(4);
		const result = jsonOf(first, 'Sort Unclear Rows First') as typeof rows;
		const left = result.filter((row) => 'match' in row && row.match === 'not asked');
		expect([result.length, left.length]).toEqual([50, 50 - 24]);
		simulator.clearFaults();
		simulator.clearRequests();
		const second = jsonOf(await upload(example, result, 'xlsx'), 'Sort Unclear Rows First');
		expect(second.map(({ match }) => match)).toEqual(Array(50).fill('none'));
		const asked = simulator.requests.map(({ query }) => query.q);
		expect(asked.sort()).toEqual(left.map(({ Client }) => Client).sort());
	});
});

describe('what-is-new', () => {
	const COMPANIES = ['99000001', 'SC993456', '99213344', '99141592'];
	/** Events of this one are missing, because no webhook watches it. */
	const NOT_WATCHED = '99487520';
	let example: ImportedExample;
	/** The service's answers under the path that the user entered, by company. */
	let records: Record<string, unknown>;

	beforeAll(async () => {
		const paths = { filingsPath: '/v1/records/{company_number}' };
		const text =
			'Name\tNumber\nTessellate & Co\t99000001\nGlen Orrin\tSC993456\nNot watched\t99487520';
		const filledIn = { 'Compare with Account': { text } };
		example = await importExample(surroundings, 'what-is-new', {
			smtp: mailServer.smtp,
			paths,
			filledIn,
		});
		await watch(example, COMPANIES);
		// A second webhook of a company, and a number without its zeros.
		await watch(example, ['99000001', '00445790']);
	});

	beforeEach(() => {
		mailServer.mails.splice(0);
		records = {};
		surroundings.simulator.clearRequests();
	});

	afterEach(() => surroundings.simulator.clearFaults());

	/** Runs it once with these records and returns the error, if any. */
	async function run(): Promise<string | undefined> {
		const { client, simulator } = surroundings;
		const watched = example.webhooks().map(({ id, company_number, events, is_active }) => {
			return { id, company_number: company_number.replace(/^0+/, ''), events, is_active };
		});
		const list = { status: 200, body: { data: watched } };
		simulator.fault({ path: /v1\/webhooks/, times: Infinity, action: list });
		for (const number of [...COMPANIES, '00445790', NOT_WATCHED]) {
			const data = records[number] ?? [];
			const action =
				data instanceof Error ? { status: 404, body: {} } : { status: 200, body: { data } };
			simulator.fault({ path: new RegExp(`/v1/records/${number}`), times: Infinity, action });
		}
		const execution = await client.runToEnd(example.workflow.id, 'Every Day');
		simulator.clearFaults();
		return errorOf(execution);
	}

	const texts = () => mailServer.mails.map(({ text }) => text.replace(/\r/g, ''));

	it('mails nothing on the first run, and later each new entry once, with one request a company', async () => {
		const filings = [{ kind: 'accounts', on: '2026-01-05' }];
		records = { '99000001': filings, SC993456: { status: 'active', officers: [{ name: 'A' }] } };

		expect(await run()).toBeUndefined();

		expect(mailServer.mails).toEqual([]);
		const paths = surroundings.simulator.requests.map(({ path }) => path);
		expect(paths.filter((path) => path.includes('/records/'))).toHaveLength(6);

		records = {
			'99000001': [
				{ kind: 'charge', on: '2026-11-20' },
				{ on: '2026-01-05', kind: 'accounts' },
			],
			SC993456: { status: 'dissolved', officers: [{ name: 'B' }, { name: 'A' }] },
			'00445790': [{ kind: 'first' }],
			[NOT_WATCHED]: [{ kind: 'missed' }],
		};

		expect(await run()).toBeUndefined();
		expect(await run()).toBeUndefined();

		expect(mailServer.mails).toMatchObject([{ subject: 'Changes: 4 companies', html: '' }]);
		expect(texts()[0].trim().split('\n\n')).toEqual([
			expect.stringMatching(/^The trigger may have reported .+\nMost companies have changes/),
			`Not watched (${NOT_WATCHED})\n${REGISTER}/${NOT_WATCHED}\n- kind: missed`,
			// Not in the pasted list.
			`Company (00445790)\n${REGISTER}/00445790\n- kind: first`,
			`Tessellate & Co (99000001)\n${REGISTER}/99000001\n- kind: charge\n  on: 2026-11-20`,
			`Glen Orrin (SC993456)\n${REGISTER}/SC993456\n- status: dissolved\n- name: B`,
		]);
	});

	it('mails at most 1 MB, and says how many companies it left out', async () => {
		const entry = (company: string, index: number) => ({ company, ...fields(index) });
		const fields = (index: number) =>
			Object.fromEntries(
				Array.from({ length: 30 }, (_, field) => [`field${field}`, `${index} ${'ü'.repeat(600)}`]),
			);
		for (const number of COMPANIES)
			records[number] = Array.from({ length: 30 }, (_, index) => entry(number, index));

		expect(await run()).toBeUndefined();

		const [text] = texts();
		expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
		expect(text.match(/^- company/gm)).toHaveLength(20);
		expect(text).toContain('- and 10 more');
		expect(text).toMatch(/Too long for this email: 3 of 4 companies\./);
	});

	it('mails later what the mail server refused or the service did not answer', async () => {
		records = { '99000001': [{ kind: 'one' }, { kind: 'two' }] };
		mailServer.refuse();
		expect(await run()).toMatch(/mailbox is full/);
		mailServer.accept();
		records['99141592'] = new Error('Not found');

		expect(await run()).toMatch(
			/^1 of 6 companies could not be read\. .*tries again.*: 99141592\./,
		);
		records['99141592'] = [{ kind: 'read late' }];
		expect(await run()).toBeUndefined();

		expect(mailServer.mails.map(({ subject }) => subject)).toEqual([
			'Changes: Tessellate & Co (99000001)',
			'Changes: Company (99141592)',
		]);
		expect(texts()[0]).toContain('- kind: two');
		// The hint about the record needs news of most companies.
		expect(texts()[0]).not.toContain('Most companies');
		expect(texts()[1]).toContain('- kind: read late');
		expect(texts()[1]).not.toContain('two');
	});

	it('reports once that the path of the record is wrong where all companies fail alike', async () => {
		for (const number of [...COMPANIES, '00445790', NOT_WATCHED])
			records[number] = new Error('Not found');

		const error = await run();

		expect(error).toMatch(
			/^6 of 6 companies could not be read\. Check the path of this record in the credential: \D+$/,
		);
		expect(error).not.toMatch(/\d{8}/);
	});
});

it('keep-evidence adds one row a run with all watched companies, even if there are none', async () => {
	const { client } = surroundings;
	const example = await importExample(surroundings, 'keep-evidence');
	const run = async () => errorOf(await client.runToEnd(example.workflow.id, 'Every Day'));

	expect(await run()).toBeUndefined();
	await watch(example, ['SC993456', '97000001', '00445790']);
	await pause(example, example.webhooks()[1].id);
	expect(await run()).toBeUndefined();
	surroundings.simulator.fault({ path: /webhooks/, action: { status: 403 } });
	expect(await run()).toMatch(/not allowed/);

	const rows = await (await findTable(client, 'Company Registry Evidence')).rows();
	expect(rows).toMatchObject([
		{ active_webhooks: 0, company_numbers: '' },
		{ active_webhooks: 2, company_numbers: '00445790 SC993456' },
	]);
	const times = rows.map(({ checked_at }) => Date.parse(String(checked_at)));
	expect(times[1]).toBeGreaterThan(times[0]);
	expect(Math.abs(times[1] - Date.now())).toBeLessThan(60_000);
});
