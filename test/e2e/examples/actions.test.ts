// The examples that begin with a step of the action node, each run in a real n8n.
import type { Execution, WorkflowRecord } from '../../n8n-host/n8nTypes';
import { call } from '../../simulator/client';
import { E2E_TIMEOUT_MS, startSurroundings, type Surroundings } from '../surroundings';
import { importExample, jsonOf, type ImportedExample } from './importedExample';
import { spreadsheet } from './spreadsheet';

jest.setTimeout(E2E_TIMEOUT_MS);

let surroundings: Surroundings;

beforeAll(async () => {
	surroundings = await startSurroundings();
});

afterAll(async () => await surroundings?.stop());

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

	it.each(['xlsx', 'csv'] as const)('compares the rows of a .%s file with what is watched', async (format) => {
		const example = await importExample(surroundings, 'check-portfolio');
		await watch(example, ['00445790', 'SC001234', '01487520', '10203040', 'R0000521']);
		await pause(example, example.webhooks()[2].id);
		const rows = [
			{ 'Company number': 445790, Client: 'Its zeros lost' },
			{ 'Company number': '00445790', Client: 'The same again' },
			{ 'Company number': ' sc 1234', Client: 'Written by hand' },
			{ 'Company number': '01487520', Client: 'Its webhook is paused' },
			{ 'Company number': 3141592, Client: 'New' },
			{ 'Company number': 'R0000521', Client: 'With letters' },
			{ 'Company number': 'to follow', Client: 'Not a number' },
		];
		const bytes = new Uint8Array(spreadsheet(rows, format));
		const file = new File([bytes], `portfolio.${format}`, { type: mimeTypes[format] });

		const execution = await upload(example.workflow, file);

		const notWatched = jsonOf(execution, 'Not Watched Yet');
		expect(notWatched.map(({ Client, company_number }) => [Client, company_number])).toEqual([
			['Its webhook is paused', '01487520'],
			['New', '03141592'],
			['Not a number', 'TOFOLLOW'],
		]);
		expect(jsonOf(execution, 'No Longer Listed')).toMatchObject([{ company_number: '10203040' }]);
	});

	it('says that no row is watched when the account has no webhook', async () => {
		const { workflow } = await importExample(surroundings, 'check-portfolio');
		const rows = [{ 'Company Number ': 'SC123456' }, { 'Company Number ': 6 }];
		const file = new File([new Uint8Array(spreadsheet(rows, 'csv'))], 'a.csv', { type: mimeTypes.csv });

		const notWatched = jsonOf(await upload(workflow, file), 'Not Watched Yet');

		expect(notWatched.map(({ company_number }) => company_number)).toEqual(['SC123456', '00000006']);
	});
});

describe('pause-dissolved-companies', () => {
	it('pauses the active webhooks of dissolved companies and no other', async () => {
		const { client, simulator } = surroundings;
		const example = await importExample(surroundings, 'pause-dissolved-companies');
		await watch(example, ['00445790', '04123456', '02213344', '99999999', 'SC654321', '04123456', '15000001']);
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
			'00445790',
			'02213344',
			'99999999',
		]);
		expect(example.webhooks()).toEqual(
			before.map((webhook) =>
				dissolved.includes(webhook.id) ? { ...webhook, is_active: false } : webhook,
			),
		);
		expect(simulator.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(3);
	});
});
