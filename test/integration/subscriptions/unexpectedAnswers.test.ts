// What the service's documentation does not show of its answers, and what the trigger makes of it.
import { startSimulator, type Simulator } from '../../simulator';
import { companyIn, failureOf, methods, watched } from '../../support/atService';
import { companyNumbers, watch, watching } from '../../support/savedWorkflow';

let simulator: Simulator;

beforeEach(async () => {
	simulator = await startSimulator();
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

describe('a create that is answered with a webhook that exists already', () => {
	const COMPANY = '00445790';

	it.each([
		['as the service lists it', {}],
		['by its id alone', { events: undefined, is_active: undefined, company_number: undefined }],
	])('%s, and without a secret, pauses nothing and is named', async (_what, changes) => {
		await watch(simulator, [COMPANY]).publish();
		const [{ id, company_number, events, is_active }] = simulator.webhooks();
		const data = { id, company_number, events, is_active, ...changes };
		simulator.fault({ method: 'POST', action: { status: 200, body: { data } } });
		simulator.clearRequests();

		const second = watch(simulator, companyNumbers(20).concat(COMPANY));
		const message = await failureOf(second.publish());
		expect(message).toContain(id);
		expect(message).toContain('secret');
		expect(simulator.webhooks()[0].is_active).toBe(true);
		// The first create goes alone: nothing else was asked for.
		expect(methods(simulator)).toEqual(['POST']);
	});

	it('is refused where its id is known here, whatever secret comes with it', async () => {
		const workflow = watch(simulator, [COMPANY]);
		await workflow.publish();
		const [webhook] = simulator.webhooks();
		const { id, secret } = webhook;
		simulator.fault({
			method: 'POST',
			action: { status: 200, body: { data: { id, secret: 'another' } } },
		});
		workflow.setup.parameters = watching([COMPANY, 'SC123456']);
		const message = await failureOf(workflow.publish());
		expect(message).toContain(`webhook ${id}`);
		expect(JSON.stringify(workflow.staticData)).toContain(encodeURIComponent(secret).slice(0, 6));
		expect(JSON.stringify(workflow.staticData)).not.toContain('another');
	});
});

describe('a create that is answered in another shape', () => {
	it.each<[string, (answer: Record<string, unknown>) => unknown, string]>([
		['without is_active', ({ id, secret }) => ({ data: { id, secret } }), 'wh-1'],
		['with a numeric id', ({ secret }) => ({ data: { id: 17, secret } }), '17'],
		['without the envelope', (answer) => answer, 'wh-1'],
	])('%s keeps its secret', async (_what, shape, id) => {
		simulator.fault({
			method: 'POST',
			action: { status: 201, body: shape({ id: 'wh-1', secret: 'whsec_kept' }) },
		});
		const workflow = watch(simulator, ['00445790']);
		await workflow.publish();
		expect(JSON.stringify(workflow.staticData)).toContain(`00445790 ${id} whsec_kept`);
	});

	it('and cannot be used, is asked for once, however many companies are wanted', async () => {
		simulator.fault({
			method: 'POST',
			times: Infinity,
			action: { status: 200, body: { created: true } },
		});
		await failureOf(watch(simulator, companyNumbers(50)).publish());
		expect(methods(simulator)).toEqual(['POST']);
	});
});

describe('an answer that shows something else than was asked', () => {
	it.each<[string, object]>([
		['not active', { is_active: false }],
		['without an event of Trigger On', { events: ['psc.added'] }],
	])('%s, is followed by one update', async (_what, shown) => {
		simulator.fault({
			method: 'POST',
			action: { status: 201, body: { data: { id: 'wh-1', secret: 'whsec_kept', ...shown } } },
		});
		simulator.fault({ method: 'PATCH', action: { status: 200, body: { data: { id: 'wh-1' } } } });
		const workflow = watch(simulator, ['00445790']);
		await workflow.publish();
		expect(methods(simulator)).toEqual(['POST', 'PATCH']);
		expect(simulator.requests[1].body).toMatchObject({ events: ['filing.new'], is_active: true });
	});

	it('and goes on showing it, fails that company and keeps its secret', async () => {
		const data = { id: 'wh-1', is_active: false };
		simulator.fault({
			method: 'POST',
			action: { status: 201, body: { data: { ...data, secret: 'whsec_kept' } } },
		});
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 200, body: { data } } });
		const workflow = watch(simulator, ['00445790', 'SC123456']);
		const message = await failureOf(workflow.publish());
		expect(message).toContain('00445790');
		expect(message).toContain('not active');
		expect(message).toContain('1 of 2 succeeded');
		expect(JSON.stringify(workflow.staticData)).toContain('whsec_kept');
	});

	it('does not mind the names of additional events', async () => {
		simulator.fault({
			method: 'POST',
			action: {
				status: 201,
				body: { data: { id: 'wh-1', secret: 'whsec_kept', events: ['filing.new', 'a.b'] } },
			},
		});
		const parameters = watching(['00445790'], { options: { additionalEvents: 'A.B, c.*' } });
		await failureOf(watch(simulator, [], { parameters }).publish());
		expect(methods(simulator)).toEqual(['POST']);
	});
});

it.each([400, 422])(
	'an update refused with %i proves nothing: no webhook is made in its place',
	async (status) => {
		const workflow = watch(simulator, ['00445790']);
		await workflow.publish();
		const before = simulator.webhooks();
		// As a list with pages would: the webhook is not on the first.
		simulator.fault({
			method: 'GET',
			times: Infinity,
			action: { status: 200, body: { data: [] } },
		});
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status } });
		workflow.setup.parameters = watching(['00445790'], { events: ['psc.added'] });
		expect(await failureOf(workflow.publish())).toContain('00445790');
		expect(simulator.webhooks().map(({ id }) => id)).toEqual(before.map(({ id }) => id));
		expect(JSON.stringify(workflow.staticData)).toContain(before[0].id);
	},
);

describe('an account that allows fewer webhooks than are wanted', () => {
	const COMPANIES = companyNumbers(120);
	const limit = (allowed: number) => {
		simulator.fault({
			method: 'POST',
			nth: allowed + 1,
			times: Infinity,
			action: {
				status: 409,
				body: { error: 'limit', message: 'Your plan is used up', status: 409 },
			},
		});
	};

	it.each(['fail', 'leaveOut'])(
		'stops publishing after 20 refusals in the same words, with %s',
		async (refusedCompanies) => {
			limit(10);
			const parameters = watching(COMPANIES, { options: { refusedCompanies } });
			const message = await failureOf(watch(simulator, [], { parameters }).publish());
			expect(message).toContain('Your plan is used up');
			expect(message).toContain('10 of 120 succeeded');
			expect(message).toMatch(/\b(8\d|90) (companies )?were not (asked for|tried)/);
			expect(methods(simulator).filter((method) => method === 'POST').length).toBeLessThan(42);
		},
	);

	it('is told from a block of companies that the service does not know', async () => {
		const all = companyNumbers(500);
		const unknown = all.slice(200, 225);
		simulator.fault({
			method: 'POST',
			times: Infinity,
			when: ({ body }) => unknown.includes(companyIn(body)),
			action: { status: 422, body: { error: 'unknown', message: 'No such company', status: 422 } },
		});
		const parameters = watching(all, { options: { refusedCompanies: 'leaveOut' } });
		await watch(simulator, [], { parameters }).publish();
		expect(simulator.webhooks()).toHaveLength(475);
	});

	it('also where each refusal names its company', async () => {
		for (const company of COMPANIES) {
			const message = `${company} is one too many`;
			simulator.fault({
				method: 'POST',
				when: ({ body }) => companyIn(body) === company && simulator.webhooks().length >= 10,
				action: { status: 409, body: { error: 'limit', message, status: 409 } },
			});
		}
		const parameters = watching(COMPANIES, { options: { refusedCompanies: 'leaveOut' } });
		const message = await failureOf(watch(simulator, [], { parameters }).publish());
		expect(message).toContain('one too many');
	});
});

describe('a list that shows what was true a moment ago', () => {
	/** From now on the list stays as it is. */
	function freezeList(): void {
		const data = simulator.webhooks().map(({ id, company_number, events, is_active }) => ({
			id,
			company_number,
			events,
			is_active,
		}));
		simulator.fault({ method: 'GET', times: Infinity, action: { status: 200, body: { data } } });
	}

	it('published again while the list still shows it active, a webhook is resumed', async () => {
		const workflow = watch(simulator, ['00445790']);
		await workflow.publish();
		freezeList();
		await workflow.unpublish();
		expect(watched(simulator)).toEqual([]);
		await workflow.publish();
		expect(watched(simulator)).toEqual(['00445790']);
	});

	it('taken out again while the list still shows it paused, a webhook is paused', async () => {
		const workflow = watch(simulator, ['00445790', 'SC123456']);
		await workflow.publish();
		await workflow.change({ parameters: watching(['00445790']) });
		expect(watched(simulator)).toEqual(['00445790']);
		freezeList();
		await workflow.change({ parameters: watching(['00445790', 'SC123456']) });
		expect(watched(simulator)).toEqual(['00445790', 'SC123456']);
		await workflow.change({ parameters: watching(['00445790']) });
		expect(watched(simulator)).toEqual(['00445790']);
	});
});
