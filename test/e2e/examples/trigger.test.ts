// The examples that begin with the trigger, each published and sent deliveries in a real n8n.
import { waitFor } from '../../n8n-host/waitFor';
import { E2E_TIMEOUT_MS, startSurroundings, type Surroundings } from '../surroundings';
import { deliverTo, importExample, jsonOf, publishChange, publishExample, type ImportedExample } from './importedExample';

jest.setTimeout(E2E_TIMEOUT_MS);

let surroundings: Surroundings;

beforeAll(async () => {
	surroundings = await startSurroundings();
});

afterAll(async () => await surroundings?.stop());

describe('watch-portfolio', () => {
	let example: ImportedExample;

	/** Number and state of each webhook, in order of creation. */
	const watched = () => example.webhooks().map((webhook) => [webhook.company_number, webhook.is_active]);

	beforeAll(async () => {
		example = await publishExample(surroundings, 'watch-portfolio');
	});

	it('watches each company of the pasted column once, as the register writes its number', () => {
		expect(watched().sort()).toEqual([
			['00445790', true],
			['01487520', true],
			['03141592', true],
			['NI012345', true],
			['SC123456', true],
		]);
	});

	it('writes an alert with the name of the company, which the spreadsheet had without its zero', async () => {
		const execution = await deliverTo(surroundings, example, '03141592', { event: 'filing.new' });

		expect(jsonOf(execution, 'Write Alert')).toMatchObject([
			{ alert: 'CIRCLE BAKERIES LIMITED (03141592): filing.new', company_status: 'active' },
		]);
	});

	it('writes the alert without the name when the search fails', async () => {
		const { simulator } = surroundings;
		simulator.fault({ path: /search/, action: { status: 500, body: {} } });
		const execution = await deliverTo(surroundings, example, '03141592', { event: 'psc.added' });
		simulator.clearFaults();

		expect(jsonOf(execution, 'Write Alert')).toMatchObject([{ alert: 'Company (03141592): psc.added' }]);
	});

	it('keeps the webhooks of companies that stay when the column is pasted again', async () => {
		const before = example.webhooks();
		surroundings.simulator.clearRequests();

		const companyNumbers = '445790\n1487520\n3141592\nSC123456\nip000cus';
		await publishChange(surroundings, example, 'Company Registry Trigger', { companyNumbers });

		expect(example.webhooks().slice(0, 5)).toEqual(
			before.map((webhook) => ({ ...webhook, is_active: webhook.company_number !== 'NI012345' })),
		);
		expect(watched().slice(5)).toEqual([['IP000CUS', true]]);
		expect(surroundings.simulator.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
	});
});

describe('review-new-officer-or-psc', () => {
	let example: ImportedExample;

	beforeAll(async () => {
		example = await importExample(surroundings, 'review-new-officer-or-psc');
		const rows = ['00445790', '02213344', '99999999'].map((value) => ({
			companyNumber: { __rl: true, mode: 'number', value },
		}));
		await publishChange(surroundings, example, 'Company Registry Trigger', { companies: { company: rows } });
	});

	it.each([
		['00445790', 'officer.appointed', 'New Officer', 'Check the new officer of TESSELLATE STORES PLC (00445790)'],
		['00445790', 'psc.added', 'New PSC', 'Check who now controls TESSELLATE STORES PLC (00445790)'],
		[
			'02213344',
			'officer.appointed',
			'Needs a Closer Look',
			'Look into officer.appointed at company 02213344: its status is liquidation',
		],
		[
			'99999999',
			'psc.added',
			'Needs a Closer Look',
			'Look into psc.added at company 99999999: its status is not known',
		],
	])('sends company %s with %s to %s', async (company, event, branch, task) => {
		expect(await branches(company, event)).toEqual([{ name: branch, task, event }]);
	});

	it('sends a company that cannot be looked up to Needs a Closer Look', async () => {
		const { simulator } = surroundings;
		simulator.fault({ path: /search/, action: { status: 500, body: {} } });
		const taken = await branches('00445790', 'psc.added');
		simulator.clearFaults();

		const task = 'Look into psc.added at company 00445790: its status is not known';
		expect(taken).toEqual([{ name: 'Needs a Closer Look', task, event: 'psc.added' }]);
	});

	/** What one delivery comes to, with the name of the node that it comes to. */
	async function branches(company: string, event: string) {
		const execution = await deliverTo(surroundings, example, company, { event });
		return ['New Officer', 'New PSC', 'Needs a Closer Look'].flatMap((name) =>
			jsonOf(execution, name).map((json) => ({ name, task: json.task, event: json.event })),
		);
	}
});

describe('remove-repeated-deliveries', () => {
	const company = '00445790';
	let example: ImportedExample;

	beforeAll(async () => {
		example = await publishExample(surroundings, 'remove-repeated-deliveries');
	});

	/** The delivery ids that one delivery brings as far as the alert, and those that are held back. */
	async function outcome(deliveryId: string) {
		const execution = await deliverTo(surroundings, example, company, { deliveryId });
		const ids = (node: string, output = 0) =>
			jsonOf(execution, node, output).map(({ delivery_id }) => delivery_id);
		return { alerted: ids('Write Alert'), heldBack: ids('First Time Only', 1) };
	}

	it('lets a delivery on once, also when it comes again to another process', async () => {
		expect(await outcome('msg_one')).toEqual({ alerted: ['msg_one'], heldBack: [] });

		await surroundings.host.restart();
		await untilDeliveriesAreTaken();

		expect(await outcome('msg_one')).toEqual({ alerted: [], heldBack: ['msg_one'] });
		expect(await outcome('msg_two')).toEqual({ alerted: ['msg_two'], heldBack: [] });
	});

	it('starts its history anew every month', async () => {
		const { client, host } = surroundings;
		const id = await client.runWorkflow(example.workflow.id, 'Every Month');
		expect((await client.waitForExecution(id)).status).toBe('success');

		// Or the trigger itself would ignore the repeat.
		await host.restart();
		await untilDeliveriesAreTaken();
		expect(await outcome('msg_two')).toEqual({ alerted: ['msg_two'], heldBack: [] });
	});

	/** n8n answers 404 until it has gone through its start. A forgery tells, and runs nothing. */
	async function untilDeliveriesAreTaken(): Promise<void> {
		const { simulator, ca } = surroundings;
		const [{ id }] = example.webhooks();
		await waitFor('n8n to know its webhooks', async () => {
			return (await simulator.deliver(id, { ca, sign: false })).status === 401;
		});
	}
});
