// What a publish stores on its way, and what the next one makes of it.
import { readState } from '../../../nodes/CompanyRegistry/trigger/memory/state';
import { startSimulator, type Simulator } from '../../simulator';
import { hookContext } from '../../support/contexts';
import {
	companyNumbers,
	register,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';

const [ONE, TWO, THREE] = companyNumbers(3);

let simulator: Simulator;
let workflow: SavedWorkflow;

beforeEach(async () => {
	simulator = await startSimulator();
	workflow = watch(simulator, [ONE, TWO]);
	await workflow.publish();
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

const methods = () => simulator.requests.map(({ method }) => method);
const companies = (isActive: boolean) =>
	simulator
		.webhooks()
		.filter(({ is_active }) => is_active === isActive)
		.map(({ company_number }) => company_number);

/** Webhooks that are made at once exist in any order. */
function webhookOf(company: string) {
	const webhook = simulator.webhooks().find(({ company_number }) => company_number === company);
	if (webhook === undefined) throw new Error(`There is no webhook of ${company}`);
	return webhook;
}

function state() {
	const loaded = workflow.load();
	const identity = {
		workflow: loaded.workflow.id,
		node: loaded.node.id,
		kind: 'production' as const,
	};
	return readState(hookContext(loaded).getWorkflowStaticData('global'), identity);
}
const statuses = () =>
	Object.fromEntries(
		(state()?.groups[0].subscriptions ?? []).map(({ company, status }) => [company, status]),
	);

/** Publishes with other parameters, where n8n does not unpublish first. */
async function publishChanged(wanted: string[], events = ['filing.new']): Promise<void> {
	simulator.clearRequests();
	workflow.setup.parameters = watching(wanted, { events });
	await workflow.publish();
}

describe('what a publish stores', () => {
	it('is everything that the next one and a delivery need', () => {
		const webhooks = simulator.webhooks();
		expect(methods()).toEqual(['POST', 'POST']);
		expect(state()).toEqual({
			published: true,
			url: webhooks[0].url.replace(/\?ref=[\w-]{22}$/, ''),
			account: expect.stringMatching(new RegExp(`^${simulator.url}#[\\w-]{8}$`)),
			events: ['filing.new'],
			formerEvents: [],
			runId: expect.stringMatching(/^[\w-]{12}$/),
			writtenAt: expect.any(Number),
			webhooks: expect.arrayContaining(
				webhooks.map(({ id, secret, company_number: company, url }) => ({
					id,
					secret,
					company,
					reference: url.split('?ref=')[1],
					status: 'watched',
				})),
			),
			setAside: {},
			leftOut: [],
		});
	});

	it('are the events that it does not want any more, as long as it does not', async () => {
		await publishChanged([ONE, TWO], ['psc.added']);
		expect(state()).toMatchObject({ events: ['psc.added'], formerEvents: ['filing.new'] });
		await publishChanged([ONE, TWO], ['officer.appointed']);
		expect([...(state()?.formerEvents ?? [])].sort()).toEqual(['filing.new', 'psc.added']);
		await publishChanged([ONE, TWO], ['filing.new']);
		expect([...(state()?.formerEvents ?? [])].sort()).toEqual(['officer.appointed', 'psc.added']);
	});
});

describe('a publish that follows', () => {
	it('asks only for the list where all is as wanted', async () => {
		simulator.clearRequests();
		// What the publish before has stored is lost; this process knows it.
		workflow.staticData = {};
		await workflow.publish();
		expect(methods()).toEqual(['GET']);
		expect(statuses()).toEqual({ [ONE]: 'watched', [TWO]: 'watched' });
	});

	it('resumes each webhook by one request that holds all that is wanted of it', async () => {
		await workflow.unpublish();
		expect(state()?.published).toBe(false);
		await publishChanged([ONE, TWO], ['psc.added']);
		const [list, ...resumptions] = simulator.requests.map(({ method, body }) => ({ method, body }));
		expect(list.method).toBe('GET');
		const wanted = simulator
			.webhooks()
			.map(({ url }) => ({ url, events: ['psc.added'], is_active: true }));
		expect(resumptions).toHaveLength(2);
		expect(resumptions).toEqual(
			expect.arrayContaining(wanted.map((body) => ({ method: 'PATCH', body }))),
		);
		expect(statuses()).toEqual({ [ONE]: 'watched', [TWO]: 'watched' });
		expect(state()?.published).toBe(true);
	});

	it('creates only what is new and pauses only what is not wanted', async () => {
		await publishChanged([TWO, THREE]);
		expect(methods()).toEqual(['GET', 'POST', 'PATCH']);
		expect([companies(true), companies(false)]).toEqual([[TWO, THREE], [ONE]]);
		expect(statuses()).toEqual({ [ONE]: 'paused', [TWO]: 'watched', [THREE]: 'watched' });
	});

	it('keeps one that could not be paused and is wanted again', async () => {
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 403 } });
		await publishChanged([TWO]);
		expect(statuses()).toEqual({ [ONE]: 'unknown', [TWO]: 'watched' });
		simulator.clearFaults();
		await publishChanged([ONE, TWO]);
		expect(methods()).toEqual(['GET']);
		expect(statuses()).toEqual({ [ONE]: 'watched', [TWO]: 'watched' });
	});

	it('leaves one that is not wanted and that somebody has paused', async () => {
		const { id, secret } = webhookOf(ONE);
		simulator.fault({
			method: 'GET',
			action: { status: 200, body: { data: simulator.webhooks().map(listedAs(id, false)) } },
		});
		await publishChanged([TWO]);
		expect(methods()).toEqual(['GET']);
		expect(statuses()).toEqual({ [ONE]: 'paused', [TWO]: 'watched' });
		expect(state()?.groups[0].subscriptions).toContainEqual(
			expect.objectContaining({ id, secret }),
		);
	});

	it.each([404, 410, 400, 422])(
		'replaces one that is gone, which is answered by %i',
		async (status) => {
			const gone = webhookOf(ONE);
			await workflow.unpublish();
			simulator.forgetWebhook(gone.id);
			simulator.fault({ method: 'PATCH', path: new RegExp(gone.id), action: { status } });
			await publishChanged([ONE, TWO]);
			expect(companies(true).sort()).toEqual([ONE, TWO]);
			expect(methods().sort()).toEqual(['GET', 'PATCH', 'PATCH', 'POST']);
			expect(
				state()
					?.webhooks.map(({ id }) => id)
					.sort(),
			).toEqual(
				simulator
					.webhooks()
					.map(({ id }) => id)
					.sort(),
			);
		},
	);
});

function listedAs(changed: string, isActive: boolean) {
	return ({
		id,
		company_number,
		events,
		is_active,
	}: ReturnType<Simulator['webhooks']>[number]) => ({
		id,
		company_number,
		events,
		is_active: id === changed ? isActive : is_active,
	});
}

describe('the time that n8n waits', () => {
	const START = Date.now();

	/** By the clock it is `ms` later as soon as the service has been asked so many times. */
	function clock(ms: number, requests: number): void {
		simulator.clearRequests();
		jest
			.spyOn(Date, 'now')
			.mockImplementation(() => START + (simulator.requests.length >= requests ? ms : 0));
	}

	it.each([
		['before the next webhook', 3],
		['with the last one', 15],
	])('is kept to the last millisecond, and no longer: %s', async (_when, requests) => {
		const fresh = () => watch(simulator, companyNumbers(15));
		clock(62_000, requests);
		await fresh().publish();
		expect(simulator.requests).toHaveLength(15);

		clock(62_001, requests);
		await expect(register(fresh().load())).rejects.toThrow(
			/^The webhooks could not be set up \(\d+ of 15 succeeded\)\. Publishing takes longer/,
		);
		const created = simulator.requests.filter(({ method }) => method === 'POST').length;
		// Those that are on their way when it is late are waited for.
		expect(created).toBeGreaterThanOrEqual(requests);
		expect(created).toBeLessThanOrEqual(requests + 10);
	});
});
