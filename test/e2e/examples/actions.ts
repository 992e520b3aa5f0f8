// The examples that begin with an action node, each run in a real n8n.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { errorOf, outputOf } from '../../n8n-host/execution';
import type { Execution } from '../../n8n-host/n8nTypes';
import { call, createWebhook } from '../../simulator/client';
import { findTable } from './dataTables';
import { importExample, jsonOf, surroundings, type ImportedExample } from './importedExample';

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
	const example = await importExample('check-portfolio');
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

describe('find-company-numbers', () => {
	it('adds numbers, matches and candidates to a CSV file of names', async () => {
		const example = await importExample('find-company-numbers');
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
		const example = await importExample('find-company-numbers');
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

it('keep-evidence adds one row a run with all watched companies, even if there are none', async () => {
	const { client } = surroundings;
	const example = await importExample('keep-evidence');
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
