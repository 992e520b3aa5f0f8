// What the service's documentation does not show of its answers, and what the trigger makes of it.
import { companyIn, failureOf, methods, serviceForEachTest } from '../../support/atService';
import { warnings } from '../../support/logCapture';
import { companyNumbers, watch, watching } from '../../support/savedWorkflow';

const COMPANY = '00445790';
const SECOND = 'SC123456';

const simulator = serviceForEachTest();

/** The next create is answered with this, or all are. */
const answerCreate = (body: unknown, times = 1) =>
	simulator.fault({ method: 'POST', times, action: { status: 201, body } });

describe('a create that is answered with a webhook that exists already', () => {
	it('without a secret, pauses nothing and is named', async () => {
		await watch(simulator, [COMPANY]).publish();
		const [{ id, company_number, events, is_active }] = simulator.webhooks();
		answerCreate({ data: { id, company_number, events, is_active } });
		simulator.clearRequests();

		const second = watch(simulator, companyNumbers(20).concat(COMPANY));
		expect(await failureOf(second.publish())).toMatch(new RegExp(`${id} and no signing secret`));
		expect(simulator.webhooks()[0].is_active).toBe(true);
		// The first create goes alone: nothing else was asked for.
		expect(methods(simulator)).toEqual(['GET', 'POST']);
	});

	it('is refused where the service lists it for another workflow, whatever secret comes with it', async () => {
		await watch(simulator, [COMPANY]).publish();
		const before = simulator.webhooks();
		const [{ id }] = before;
		answerCreate({ data: { id, secret: 'another' } }, Infinity);
		const second = watch(simulator, [COMPANY]);
		await second.restart();
		expect(await failureOf(second.publish())).toContain(`with webhook ${id}, which exists already`);
		expect(simulator.webhooks()).toEqual(before);
		expect(JSON.stringify(second.staticData)).not.toContain('another');
	});

	it('is refused where its id is known here, though not listed, whatever secret comes with it', async () => {
		const workflow = watch(simulator, [COMPANY]);
		await workflow.publish();
		const [{ id, secret }] = simulator.webhooks();
		simulator.fault({ method: 'GET', action: { status: 200, body: { data: [] } } });
		answerCreate({ data: { id, secret: 'another' } });
		workflow.setup.parameters = watching([COMPANY, SECOND]);
		const logged = warnings(workflow);
		await workflow.publish();
		expect(logged()).toEqual([expect.stringContaining(`with webhook ${id}, which exists already`)]);
		expect(JSON.stringify(workflow.staticData)).toContain(encodeURIComponent(secret).slice(0, 6));
		expect(JSON.stringify(workflow.staticData)).not.toContain('another');
	});
});

it('replacements of webhooks that have vanished are asked for one by one until an answer can be used', async () => {
	const workflow = watch(simulator, companyNumbers(40));
	await workflow.publish();
	const [kept, ...vanished] = simulator.webhooks();
	for (const { id } of vanished) simulator.forgetWebhook(id);
	answerCreate({ created: true }, Infinity);
	simulator.clearRequests();
	await workflow.publish();
	const created = simulator.requests.filter(({ method }) => method === 'POST');
	expect(created.length).toBeLessThanOrEqual(3);
	expect(new Set(created.map(({ body }) => companyIn(body))).size).toBe(created.length);
	expect(simulator.webhooks()).toEqual([kept]);
});

describe('an answer that shows something else than was asked', () => {
	const answerUpdates = (data: object) =>
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 200, body: { data } } });

	it.each<[string, object]>([
		['not active', { is_active: false }],
		['without an event of Trigger On', { events: ['psc.added'] }],
	])('%s, is followed by one update', async (_what, shown) => {
		answerCreate({ data: { id: 'wh-1', secret: 'whsec_kept', ...shown } });
		answerUpdates({ id: 'wh-1' });
		await watch(simulator, [COMPANY]).publish();
		expect(methods(simulator)).toEqual(['GET', 'POST', 'PATCH']);
		expect(simulator.requests[2].body).toMatchObject({ events: ['filing.new'], is_active: true });
	});

	it('and goes on showing it, fails that company and keeps its secret', async () => {
		const data = { id: 'wh-1', is_active: false };
		answerCreate({ data: { ...data, secret: 'whsec_kept' } });
		answerUpdates(data);
		const workflow = watch(simulator, [COMPANY, SECOND]);
		expect(await failureOf(workflow.publish())).toMatch(/1 of 2 succeeded.*wh-1 as not active/);
		expect(JSON.stringify(workflow.staticData)).toContain('whsec_kept');
	});

	it('another company, fails the one that was asked about, and nothing is written again', async () => {
		const workflow = watch(simulator, [COMPANY, SECOND]);
		await workflow.publish();
		const [{ id, company_number }] = simulator.webhooks();
		const path = new RegExp(id);
		const data = { id, company_number: '99999999', events: ['psc.added'], is_active: true };
		const action = { status: 200, body: { data } };
		simulator.fault({ method: 'PATCH', path, times: Infinity, action });
		const logged = warnings(workflow);
		await workflow.change({ parameters: watching([COMPANY, SECOND], { events: ['psc.added'] }) });
		expect(logged()).toEqual([expect.stringMatching(`Company ${company_number} .*99999999`)]);
		expect(simulator.requests.filter((one) => path.test(one.path))).toHaveLength(1);
	});

	it('does not mind the names of additional events', async () => {
		answerCreate({ data: { id: 'wh-1', secret: 'whsec_kept', events: ['filing.new', 'a.b'] } });
		const parameters = watching([COMPANY], { options: { additionalEvents: 'A.B, c.*' } });
		await watch(simulator, [], { parameters }).publish();
		expect(methods(simulator)).toEqual(['GET', 'POST']);
	});
});
