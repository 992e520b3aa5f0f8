// The examples that begin with a step of the action node, each run in a real n8n.
// Takes long because it runs thirty workflows.
import { errorOf, outputOf } from '../../n8n-host/execution';
import type { Credential, Execution, WorkflowRecord } from '../../n8n-host/n8nTypes';
import { call } from '../../simulator/client';
import { E2E_TIMEOUT_MS, startSurroundings, type Surroundings } from '../surroundings';
import { importExample, jsonOf, smtpCredential, type ImportedExample } from './importedExample';
import { startMailServer, type MailServer } from './mailServer';
import { spreadsheet } from './spreadsheet';

jest.setTimeout(E2E_TIMEOUT_MS);

const REGISTER = 'https://find-and-update.company-information.service.gov.uk/company';

let surroundings: Surroundings;
let mailServer: MailServer;
let smtp: Credential;

beforeAll(async () => {
	mailServer = await startMailServer();
	surroundings = await startSurroundings({ isWhole: true });
	smtp = await smtpCredential(surroundings, mailServer);
});

afterAll(async () => {
	await surroundings?.stop();
	await mailServer?.close();
});

/** Gives the example's account an active webhook of each company. */
async function watch({ account }: ImportedExample, companyNumbers: string[]): Promise<void> {
	for (const company_number of companyNumbers) {
		const body = { url: 'https://receiver.example.com/hook', company_number, events: ['filing.new'] };
		await call(surroundings.simulator, 'POST', '/v1/webhooks', { body, token: account.apiKey });
	}
}

async function pause({ account }: ImportedExample, id: string): Promise<void> {
	const body = { is_active: false };
	await call(surroundings.simulator, 'PATCH', `/v1/webhooks/${id}`, { body, token: account.apiKey });
}

describe('check-portfolio', () => {
	const mimeTypes = {
		csv: 'text/csv',
		xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
	};

	/** Submits the form that "Execute workflow" opens. */
	async function upload({ id, nodes }: WorkflowRecord, file: File): Promise<Execution> {
		const { client, host } = surroundings;
		const form = nodes.find(({ name }) => name === 'Upload Spreadsheet');
		await client.listenForTestEvent(id, 'Upload Spreadsheet');
		const body = new FormData();
		body.append('field-0', file);
		const answer = await fetch(`${host.url}/form-test/${form?.webhookId}`, { method: 'POST', body });
		expect(answer.status).toBe(200);
		return await client.waitForNextExecution(id);
	}

	const states = (execution: Execution) =>
		jsonOf(execution, 'Portfolio State').map((row) => [row.company_number, row.company_name, row.state]);

	it.each([
		['xlsx', 'Company number', 'Client'],
		['csv', 'company_number', 'Name'],
		['xlsx', 'Registration No.', 'Company Name'],
		['csv', 'Whatever', 'Whoever'],
	] as const)('finds number and name in a .%s file under %s and %s', async (format, number, name) => {
		const example = await importExample(surroundings, 'check-portfolio');
		await watch(example, ['00445790', 'SC001234', '01487520', '10203040', 'R0000521']);
		await pause(example, example.webhooks()[2].id);
		const rows = [
			{ Row: '#1', [number]: 445790, [name]: 'Zeros lost' },
			{ Row: '#2', [number]: '00445790', [name]: 'The same again' },
			{ Row: '#3', [number]: ' sc 1234', [name]: 'Written by hand' },
			{ Row: '#4', [number]: '01487520', [name]: 'Paused' },
			{ Row: '#5', [number]: 3141592, [name]: 'New' },
			{ Row: '#6', [number]: 'R0000521', [name]: 'With letters' },
			{ Row: '#7', [number]: 'to follow', [name]: 'Unknown' },
		];
		const bytes = new Uint8Array(spreadsheet(rows, format));
		const file = new File([bytes], `portfolio.${format}`, { type: mimeTypes[format] });

		const execution = await upload(example.workflow, file);

		expect(states(execution)).toEqual([
			['to follow', 'Unknown', 'no company number'],
			['03141592', 'New', 'not watched'],
			['01487520', 'Paused', 'paused'],
			['10203040', '', 'watched but not in the list'],
			['00445790', 'Zeros lost', 'watched'],
			['SC001234', 'Written by hand', 'watched'],
			['R0000521', 'With letters', 'watched'],
		]);
		const [{ binary }] = outputOf(execution, 'As Spreadsheet');
		expect(binary?.data).toMatchObject({ fileName: 'portfolio-state.xlsx' });
	});

	it('compares numbers that the service lists without their zeros', async () => {
		const example = await importExample(surroundings, 'check-portfolio');
		await watch(example, ['00445790', 'SC001234']);
		surroundings.simulator.differences = { withoutZeros: true };
		const rows = [{ 'Company Number ': '00445790' }, { 'Company Number ': 'SC001234' }, { 'Company Number ': 6 }];
		const file = new File([new Uint8Array(spreadsheet(rows, 'csv'))], 'a.csv', { type: mimeTypes.csv });

		const execution = await upload(example.workflow, file);
		surroundings.simulator.differences = {};

		expect(states(execution)).toEqual([
			['00000006', '', 'not watched'],
			['00445790', '', 'watched'],
			['SC001234', '', 'watched'],
		]);
	});

	it('says that no row is watched when the account has no webhook', async () => {
		const { workflow } = await importExample(surroundings, 'check-portfolio');
		const file = new File([new Uint8Array(spreadsheet([{ CRN: 'SC123456' }], 'csv'))], 'a.csv', { type: mimeTypes.csv });

		expect(states(await upload(workflow, file))).toEqual([['SC123456', '', 'not watched']]);
	});

	it('says that it finds no column of numbers', async () => {
		const { workflow } = await importExample(surroundings, 'check-portfolio');
		const rows = [{ Client: 'Tessellate', Code: 1001, Since: 2019 }];
		const file = new File([new Uint8Array(spreadsheet(rows, 'csv'))], 'a.csv', { type: mimeTypes.csv });

		expect(errorOf(await upload(workflow, file))).toMatch(/No column of company numbers was found\. Give that column the heading/);
	});
});

describe('pause-dissolved-companies', () => {
	it('pauses the active webhooks of dissolved companies and no other', async () => {
		const { client, simulator } = surroundings;
		const example = await importExample(surroundings, 'pause-dissolved-companies');
		await watch(example, ['99000001', '99123456', '99213344', '97999999', 'SC994321', '99123456', '99000002']);
		await pause(example, example.webhooks()[6].id);
		const before = example.webhooks();
		simulator.clearRequests();

		const execution = await client.waitForExecution(
			await client.runWorkflow(example.workflow.id, 'Every Week'),
		);

		const dissolved = [1, 4, 5].map((index) => before[index].id);
		expect(jsonOf(execution, 'Pause Webhook')).toEqual(
			[1, 4, 5].map((index) => ({
				id: before[index].id,
				company_number: before[index].company_number,
				events: ['filing.new'],
				is_active: false,
			})),
		);
		expect(jsonOf(execution, 'Left Alone').map(({ company_number }) => company_number)).toEqual([
			'99000001',
			'99213344',
			'97999999',
		]);
		expect(example.webhooks()).toEqual(
			before.map((webhook) =>
				dissolved.includes(webhook.id) ? { ...webhook, is_active: false } : webhook,
			),
		);
		expect(simulator.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(3);
	});
});

describe('what-is-new', () => {
	const COMPANIES = ['99000001', 'SC993456', '99213344', '99141592'];
	let example: ImportedExample;
	/** What the service has of each company under the path that the user entered. */
	let records: Record<string, unknown>;

	beforeAll(async () => {
		const recordPath = '/v1/records/{company_number}';
		const filledIn = { 'Read Record': { recordPath } };
		example = await importExample(surroundings, 'what-is-new', { smtp, filledIn });
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

	/** Runs it once with these records; what went wrong, if anything. */
	async function run(): Promise<string | undefined> {
		const { client, simulator } = surroundings;
		simulator.differences = { withoutZeros: true };
		for (const number of [...COMPANIES, '00445790']) {
			const data = records[number] ?? [];
			const action = data instanceof Error ? { status: 404, body: {} } : { status: 200, body: { data } };
			simulator.fault({ path: new RegExp(`/v1/records/${number}`), times: Infinity, action });
		}
		const id = await client.runWorkflow(example.workflow.id, 'Every Day');
		const execution = await client.waitForExecution(id);
		simulator.clearFaults();
		simulator.differences = {};
		return errorOf(execution);
	}

	const texts = () => mailServer.mails.map(({ text }) => text.replace(/\r/g, ''));

	it('only remembers at the first reading, with one request a company', async () => {
		const filings = [{ kind: 'accounts', on: '2026-01-05' }];
		records = { '99000001': filings, SC993456: { status: 'active', officers: [{ name: 'A' }] } };

		expect(await run()).toBeUndefined();
		expect(await run()).toBeUndefined();

		expect(mailServer.mails).toEqual([]);
		const paths = surroundings.simulator.requests.map(({ path }) => path);
		expect(paths.filter((path) => path.includes('/records/'))).toHaveLength(10);
	});

	it('mails new entries of a list, what has changed in a record, and a first entry, once', async () => {
		records = {
			'99000001': [{ kind: 'charge', on: '2026-11-20' }, { on: '2026-01-05', kind: 'accounts' }],
			SC993456: { status: 'dissolved', officers: [{ name: 'B' }, { name: 'A' }] },
			'00445790': [{ kind: 'first' }],
		};

		expect(await run()).toBeUndefined();
		expect(await run()).toBeUndefined();

		expect(mailServer.mails).toMatchObject([{ subject: 'What is new: 3 companies', html: '' }]);
		expect(texts()[0].trim().split('\n\n')).toEqual([
			'New in the records of 3 companies since they were read last. The registry trigger may have told you some of it already: this mail is for what it missed.',
			expect.stringContaining('Most companies have something new at once'),
			`00445790\n${REGISTER}/00445790\n- {"kind":"first"}`,
			`TESSELLATE STORES PLC (99000001)\n${REGISTER}/99000001\n- {"kind":"charge","on":"2026-11-20"}`,
			`GLEN ORRIN DISTILLERS LIMITED (SC993456)\n${REGISTER}/SC993456\n- officers: {"name":"B"}\n- status: dissolved`,
		]);
	});

	it('says nothing of a path that changes every time where few companies have news', async () => {
		records = { '99000001': [], SC993456: { status: 'dissolved', officers: [] }, '00445790': [] };
		expect(await run()).toBeUndefined();
		records['99000001'] = [{ kind: 'one' }];

		expect(await run()).toBeUndefined();

		expect(texts()).toHaveLength(1);
		expect(texts()[0]).not.toContain('Most companies');
	});

	it('mails again what the mail server refused, and what one could not read as well', async () => {
		records = { '99000001': [{ kind: 'one' }, { kind: 'two' }] };
		mailServer.refuse();
		expect(await run()).toMatch(/mailbox is full/);
		mailServer.accept();
		records['99141592'] = new Error('Not found');

		expect(await run()).toMatch(/^One company could not be read: 99141592 \(/);
		records['99141592'] = [{ kind: 'read late' }];
		expect(await run()).toBeUndefined();

		expect(texts()).toHaveLength(2);
		expect(texts()[0]).toContain('- {"kind":"two"}');
		expect(texts()[1]).toContain('- {"kind":"read late"}');
		expect(texts()[1]).not.toContain('two');
	});
});
