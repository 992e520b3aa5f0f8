// The operations over lists of companies, from rows as n8n's nodes give them.
import { omit, without } from 'lodash';
import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	IWorkflowSettings,
} from 'n8n-workflow';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { call, createWebhook } from '../../simulator/client';
import { actionSetup, failureOf, runAction } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';
import { runNode } from '../../support/contexts';
import { offeredFields } from '../../support/outputSchemas';

const simulator = serviceForEachTest();

type Operation = 'compare' | 'findNumbers' | 'read' | 'writeIntoWorkflow';
const list = (operation: Operation, parameters: INodeParameters = {}) => ({
	resource: 'companyList',
	operation,
	...parameters,
});

/** The output of one run, of the fields that the editor offers: all, but for a problem where there is none. */
async function run(operation: Operation, parameters: INodeParameters, items: IDataObject[] = [{}]) {
	const output = await runAction(simulator, list(operation, parameters), { items });
	const offered = offeredFields(`companyList/${operation}`);
	for (const { json } of output) {
		expect(offered).toEqual(expect.arrayContaining(Object.keys(json)));
		expect(Object.keys(json)).toEqual(expect.arrayContaining(without(offered, 'problem')));
	}
	return output;
}
const jsonOf = (output: INodeExecutionData[]) => output.map(({ json }) => json);
const pairsOf = (output: INodeExecutionData[]) => output.map(({ pairedItem }) => pairedItem);
const failure = async (
	operation: Operation,
	parameters: INodeParameters,
	items: IDataObject[] = [{}],
) => await failureOf(runAction(simulator, list(operation, parameters), { items }));

const client = (
	row_number: number,
	ref: string | number,
	name: string,
	number: string | number,
): IDataObject => ({
	row_number,
	'Client ref': ref,
	'Client name': name,
	'Company No.': number,
});
const CLIENTS = [
	client(2, 1001, 'Tessellate Stores plc', 99000001),
	client(3, 1002, 'Jo Bloggs', 'sole trader'),
	client(5, 1003, 'Euler Instruments', '99718281'),
	client(6, 1004, '', '99000001'),
	client(7, 'Total', '', 3),
];

describe('Read', () => {
	it('puts out each company once, paired with its row, and needs neither service nor credential', async () => {
		const items = CLIENTS.slice(0, 4).filter(({ row_number }) => row_number !== 3);
		const output = await runNode(
			{ nodeType: new CompanyRegistry(), parameters: list('read') },
			items.map((json) => ({ json })),
		);
		expect(jsonOf(output)).toEqual([
			{
				company_number: '99000001',
				company_name: 'Tessellate Stores plc',
				list_columns: omit(CLIENTS[0], 'row_number'),
				row_number: 2,
			},
			{
				company_number: '99718281',
				company_name: 'Euler Instruments',
				list_columns: omit(CLIENTS[2], 'row_number'),
				row_number: 5,
			},
		]);
		expect(pairsOf(output)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('fails with all rows that hold no number, and says nothing else of them', async () => {
		const { message, description } = await failure('read', {}, CLIENTS);
		expect(message).toBe(
			'2 of 5 rows have no company number that can be read in column "Company No."',
		);
		expect(description).toMatch(
			/Or set 'Unreadable Rows' to 'Pass On'\. They are: row 3 \("sole trader", Jo Bloggs\), row 7 \(/,
		);
		expect(simulator.requests).toEqual([]);
	});

	it('or passes them on, each with what is wrong', async () => {
		const output = await run('read', { unreadableRows: 'passOn' }, CLIENTS);
		expect(jsonOf(output).map((row) => [row.company_number, row.row_number, row.problem])).toEqual([
			['99000001', 2, undefined],
			[null, 3, '"sole trader" is not a company number'],
			['99718281', 5, undefined],
			[null, 7, expect.stringMatching(/^3 may be a total/)],
		]);
		expect(pairsOf(output)).toEqual([0, 1, 2, 4].map((item) => ({ item })));
	});

	it.each([
		['99000001, 99718281\n99000001', [1, 1]],
		['Company number\tName\n99000001\t\n\n99718281\t', [2, 4]],
	])('reads the text %j', async (text, rows) => {
		const output = await run('read', { source: 'text', text });
		expect(jsonOf(output).map((row) => [row.company_number, row.row_number])).toEqual([
			['99000001', rows[0]],
			['99718281', rows[1]],
		]);
	});

	it("reads each item's text, one that is the same for all once, and says which item is wrong", async () => {
		const parameters = { source: 'text', text: '={{ $json.text }}' };
		const texts = ['99000001', '99000001', '99718281\n99000001'].map((text) => ({ text }));
		const output = await run('read', parameters, texts);
		expect(jsonOf(output).map(({ company_number }) => company_number)).toEqual([
			'99000001',
			'99718281',
		]);
		expect(pairsOf(output)).toEqual([{ item: 0 }, { item: 2 }]);

		const wrong = await failure('read', parameters, [...texts, { text: 'none' }]);
		expect(wrong.context.itemIndex).toBe(3);
	});

	it('goes on with what is wrong as one item, and refuses what is no option', async () => {
		const parameters = list('read', { unreadableRows: 'FAIL ' });
		const output = await runAction(simulator, parameters, {
			items: CLIENTS,
			onError: 'continueErrorOutput',
		});
		expect(output).toHaveLength(1);
		expect(output[0].json.error).toContain('2 of 5 rows');
		expect((await failure('read', { unreadableRows: 'skip' })).description).toContain(
			'fail, passOn',
		);
	});
});

describe('Compare with Account', () => {
	const UNSAVED: IWorkflowSettings = {
		saveDataErrorExecution: 'none',
		saveDataSuccessExecution: 'none',
		saveManualExecutions: false,
		saveExecutionProgress: false,
	};

	it('says of each company whether it is watched, with one request and what needs a look first', async () => {
		for (const number of ['99000001', '99718281', '99141592', '99123456', '99718281']) {
			await createWebhook(simulator, undefined, number);
		}
		const [, paused, , left] = simulator.webhooks();
		for (const { id } of [paused, left]) {
			await call(simulator, 'PATCH', `/v1/webhooks/${id}`, { body: { is_active: false } });
		}
		// One of two is enough.
		const items = [...CLIENTS, { 'Company No.': 99123456 }, { 'Company No.': 'SC990012' }];
		simulator.clearRequests();
		const output = await run('compare', {}, items);
		const [stores, , bakeries, , euler] = simulator.webhooks();
		const states = jsonOf(output).map((line) => Object.values(line).slice(0, 5));
		const filings = ['filing.new'];
		expect(states).toEqual([
			['sole trader', 'Jo Bloggs', 'no company number', [], null],
			['3', null, 'no company number', [], null],
			['SC990012', null, 'not watched', [], null],
			['99123456', null, 'paused', filings, left.id],
			['99141592', null, 'watched but not in the list', filings, bakeries.id],
			['99000001', 'Tessellate Stores plc', 'watched', filings, stores.id],
			['99718281', 'Euler Instruments', 'watched', filings, euler.id],
		]);
		// What belongs to no row must not lead a next step to one.
		const rows = [1, 4, 6, 5, undefined, 0, 2];
		expect(pairsOf(output)).toEqual(rows.map((item) => (item === undefined ? [] : { item })));
		expect(simulator.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
			'GET /v1/webhooks',
		]);
	});

	const [failed, successful, manual, progress] = [
		'Save failed production executions',
		'Save successful production executions',
		'Save manual executions',
		'Save execution progress',
	];
	it.each<[string, IWorkflowSettings, string[]]>([
		['nothing is chosen', {}, [failed, successful, manual, progress]],
		['one that failed is', { ...UNSAVED, saveDataErrorExecution: 'all' }, [failed]],
		['one that succeeded is', { ...UNSAVED, saveDataSuccessExecution: 'all' }, [successful]],
		['one by hand is', { ...UNSAVED, saveManualExecutions: true }, [manual]],
		['its progress is', { ...UNSAVED, saveExecutionProgress: 'DEFAULT' }, [progress]],
	])('fails at once where runs are saved, if told: %s', async (_what, settings, named) => {
		const setup = actionSetup(simulator, list('compare', { failIfSaved: true }));
		const error = await failureOf(runNode({ ...setup, settings }, [{ json: CLIENTS[0] }]));
		expect(error.message).toMatch(/^No secret was read and nothing was changed/);
		expect(error.description).toBe(
			`In this workflow, under ⋯, Settings, choose 'Do not save', and not a default, in ${named.join(', ')}. Save, then run it again.`,
		);
		expect(simulator.requests).toEqual([]);
		expect(await runNode({ ...setup, settings: UNSAVED }, [{ json: CLIENTS[0] }])).toHaveLength(1);
	});

	it.each([
		['"true"', /^No secret was read/],
		['"perhaps"', /Fail If Runs Are Saved/i],
	])('fails there too where an expression makes that %s', async (text, message) => {
		const parameters = { failIfSaved: `={{ ${text} }}` };
		expect((await failure('compare', parameters, [CLIENTS[0]])).message).toMatch(message);
		expect(simulator.requests).toEqual([]);
	});

	it('says when the service has answered, and at which address', async () => {
		const before = Date.now();
		const [{ json }] = await run('compare', {}, [{ 'Company No.': 99123456 }]);
		expect(json.base_url).toBe(simulator.url);
		const at = Date.parse(String(json.checked_at));
		expect(at).toBeGreaterThanOrEqual(before);
		expect(at).toBeLessThanOrEqual(Date.now());
	});

	it.each<[string, object[], object]>([
		['has more pages', [], { total_results: 7 }],
		['has a row that cannot be read', [{ id: 'wh_3' }], {}],
	])('knows no state of what it does not find where the list %s', async (_what, more, beside) => {
		const row = (id: string, company_number: string, is_active = true) => ({
			id,
			company_number,
			events: [],
			is_active,
		});
		const data = [row('wh_1', '99000001'), row('wh_2', '99718281', false), ...more];
		simulator.fault({ action: { status: 200, body: { data, ...beside } } });
		const output = await run('compare', { source: 'text', text: '99718281,99000001,99123456' });
		expect(jsonOf(output).map(({ company_number, state }) => [company_number, state])).toEqual([
			['99123456', 'not known'],
			['99718281', 'paused'],
			['99000001', 'watched'],
		]);
	});

	it('takes what Read and Find Numbers put out', async () => {
		const items = [
			{ company_number: '99000001', company_name: 'A', row: 1001, match: 'exact', candidates: [] },
			{ company_number: null, company_name: 'B', row: 1002, match: 'none', candidates: [] },
		];
		expect(jsonOf(await run('compare', {}, items)).map(({ state }) => state)).toEqual([
			'no company number',
			'not watched',
		]);
	});
});

describe('Write into Workflow', () => {
	const trigger = (companyNumbers: unknown, other: object = {}, parameters: object = {}) => ({
		id: 'n1',
		name: 'Trigger',
		type: 'n8n-nodes-company-registry.companyRegistryTrigger',
		position: [0, 0],
		parameters: { companiesFrom: 'numbers', companyNumbers, ...parameters },
		...other,
	});
	const mail = { id: 'n2', name: 'Mail', type: 'n8n-nodes-base.emailSend', parameters: {} };
	const connections = { Trigger: { main: [[{ node: 'Mail', type: 'main', index: 0 }]] } };
	const version = (...nodes: object[]) => ({ nodes: [...nodes, mail], connections });
	const workflow = (published: object | null, saved: object = published ?? version()) => ({
		id: 'w1',
		name: 'Clients',
		active: true,
		settings: { timezone: 'Europe/London' },
		staticData: null,
		...saved,
		activeVersion: published && { versionId: 'v1', ...published },
	});
	const WATCHED = 'Company number\tName\n99000001\tTessellate\n99718281\tEuler\n99141592\t';
	const published = workflow(version(trigger(WATCHED)));
	const ROWS = [
		{ company_number: '99000001', company_name: 'Tessellate Stores plc' },
		{ company_number: '99718281', company_name: '' },
		{ company_number: 'SC990012', company_name: '"Glen" Orrin' },
	];
	const parametersOf = (value: unknown) => ({ workflow: value }) as INodeParameters;
	const write = async (
		value: unknown,
		items: IDataObject[] = ROWS,
		parameters: INodeParameters = {},
	) => (await run('writeIntoWorkflow', { ...parametersOf(value), ...parameters }, items))[0].json;

	it('gives the workflow to write back, and what changes with it', async () => {
		const json = await write(published);
		expect(json).toEqual({
			workflow: {
				name: 'Clients',
				...version(
					trigger(
						'Company number\tName\n99000001\tTessellate Stores plc\n99718281\tEuler\nSC990012\t"""Glen"" Orrin"',
					),
				),
				settings: {},
			},
			added: [{ company_number: 'SC990012', company_name: '"Glen" Orrin' }],
			removed: [{ company_number: '99141592', company_name: null }],
			renamed: [{ company_number: '99000001', company_name: 'Tessellate Stores plc' }],
			updated: [],
			unchanged: 1,
			left_out: [],
			is_changed: true,
		});
		expect(simulator.requests).toEqual([]);
	});

	it('changes nothing the second time', async () => {
		const { workflow: first } = (await write(published)) as { workflow: { nodes: object[] } };
		const again = workflow({ nodes: first.nodes, connections });
		expect(await write(again)).toMatchObject({ unchanged: 3, is_changed: false });
		const bare = [{ crn: 99000001 }, { crn: 'SC990012' }];
		const json = await write(workflow(version(trigger('99000001'))), bare);
		expect(JSON.stringify(json.workflow)).toContain('"companyNumbers":"99000001\\nSC990012"');
	});

	it('takes the other columns along, for mails to the address in the row', async () => {
		const rows = [
			{ Email: 'jd@example.com', CRN: 99000001, Client: 'Tessellate', Note: 'two\nlines', id: 7 },
			{ Email: '', CRN: '99718281', Client: 'Euler', Note: '"odd"', id: 8 },
		];
		const texts: string[] = [];
		const writeOn = async (items: IDataObject[]) => {
			const value = texts.length > 0 ? workflow(version(trigger(texts.at(-1)))) : published;
			const json = await write(value, items);
			const { nodes } = json.workflow as { nodes: Array<{ parameters: IDataObject }> };
			texts.push(String(nodes[0].parameters.companyNumbers));
			return json;
		};
		await writeOn(rows);
		expect(texts[0].split('\n')).toEqual([
			'Company number\tName\tEmail\tNote',
			'99000001\tTessellate\tjd@example.com\ttwo lines',
			'99718281\tEuler\t\t"""odd"""',
		]);
		const read = await run('read', { source: 'text', text: texts[0] });
		expect(read[1].json.list_columns).toMatchObject({ Email: '', Note: '"odd"' });
		expect(await writeOn(rows)).toMatchObject({ unchanged: 2, is_changed: false });
		expect(await writeOn([rows[0], { ...rows[1], Email: 'e@example.com' }])).toMatchObject({
			updated: [{ company_number: '99718281', company_name: 'Euler' }],
			unchanged: 1,
			is_changed: true,
		});
	});

	it('takes an expression, a text, and what was saved and not published of the list', async () => {
		const saved = version(trigger('99000001', { position: [5, 5] }));
		const value = workflow(version(trigger(WATCHED)), saved);
		const items = ROWS.map((row) => ({ ...row, value }));
		const changes = { added: [{}], removed: [{}] };
		expect(await write('={{ $json.value }}', items)).toMatchObject(changes);
		expect(await write(JSON.stringify(value))).toMatchObject(changes);
	});

	it.each<[string, { items?: IDataObject[]; removeAtMost?: number | string }, RegExp, RegExp]>([
		[
			'no company',
			{ items: [{ company_number: '' }] },
			/^The list has no company, so nothing was changed$/,
			/unpublish/,
		],
		[
			'an unreadable row',
			{ items: [...ROWS, { company_number: 'none' }] },
			/^Row 5, column "company_number": "none" is/,
			/Nothing was changed/,
		],
		[
			'an unclear column',
			{ items: [{ a: 99000001, b: 99718281 }] },
			/^Which column holds the company numbers\?$/,
			/^It could be "a" or "b"\. Write 'Company number' above the right column/,
		],
		[
			'more than half removed',
			{ items: [ROWS[0]] },
			/^2 of 3 watched companies are not in the list any more/,
			/'Remove at Most \(%\)' to 100/,
		],
		['more removed than allowed', { removeAtMost: 10 }, /^1 of 3 watched/, /whole/],
		['no percentage', { removeAtMost: '={{ "some" }}' }, /cannot be "some"/, /0 to 100/],
	])('refuses %s', async (_what, { items = ROWS, ...parameters }, message, description) => {
		const given = { ...parametersOf(published), ...parameters };
		const error = await failure('writeIntoWorkflow', given, items);
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(description);
	});

	const unpublished = version(trigger(WATCHED, { name: 'X' }));
	const off = trigger(WATCHED, { disabled: true });
	const picked = trigger('', {}, { companiesFrom: 'list' });
	it.each<[string, unknown, RegExp, RegExp]>([
		['no published version', workflow(null), /^"Clients" is not published, so/, /^Publish it/],
		[
			'changes that are not published',
			workflow(version(trigger(WATCHED)), unpublished),
			/has changes that are saved and not published/,
			/^Publish or discard/,
		],
		[
			'two triggers',
			workflow(version(trigger(WATCHED), trigger('1'))),
			/with 2 Company Registry Triggers/,
			/^Keep one/,
		],
		['a trigger that is switched off', workflow(version(off)), /with 0 Company/, /^Keep one/],
		['picked companies', workflow(version(picked)), /not pasted numbers/, /^Set 'Companies From'/],
		['an expression', workflow(version(trigger('={{ 1 }}'))), /not pasted numbers/, /^Set/],
		['another object', { id: 1 }, /^'Workflow' cannot be /, /Get Workflow/],
		['a text', 'Clients', /^'Workflow' cannot be "Clients"/, /Get Workflow/],
	])('refuses as the workflow %s', async (_what, value, message, description) => {
		const error = await failure('writeIntoWorkflow', parametersOf(value), ROWS);
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(description);
	});

	it('leaves unreadable rows out where that is chosen, and names them', async () => {
		const items = [...ROWS, { company_number: 'sole trader', company_name: 'Jo' }];
		const json = await write(published, items, { unreadableRows: 'leaveOut' });
		expect(json).toMatchObject({
			added: [{ company_number: 'SC990012' }],
			left_out: [
				{ company_name: 'Jo', row_number: 5, problem: '"sole trader" is not a company number' },
			],
		});
	});

	it('but gives no company up whose number may have gone wrong in one of them', async () => {
		const typo = { company_number: '991415920', company_name: 'Circle Bakeries' };
		const given = { ...parametersOf(published), unreadableRows: 'leaveOut' };
		const { message, description } = await failure('writeIntoWorkflow', given, [...ROWS, typo]);
		expect(message).toMatch(
			/may be watched companies, so nothing was changed: row 5 \("991415920", Circle Bakeries\)$/,
		);
		expect(description).toMatch(/^Not in the list any more: 99141592\./);
		const all = [...ROWS, { company_number: '99141592' }, typo];
		expect((await write(published, all, { unreadableRows: 'leaveOut' })).left_out).toHaveLength(1);
	});

	it('removes more where that is allowed', async () => {
		const json = await write(published, [ROWS[0]], { removeAtMost: 100 });
		expect(json.removed).toHaveLength(2);
	});
});
