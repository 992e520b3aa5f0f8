// What the service's documentation does not show of its answers, and what the trigger makes of it.
import {
	failureOf,
	freezeList,
	methods,
	serviceForEachTest,
	watched,
} from '../../support/atService';
import { warnings } from '../../support/logCapture';
import { companyNumbers, watch, watching } from '../../support/savedWorkflow';

const COMPANY = '00445790';
const SECOND = 'SC123456';

const simulator = serviceForEachTest();

/** The next create is answered with this, or all are. */
const answerCreate = (body: unknown, times = 1) =>
	simulator.fault({ method: 'POST', times, action: { status: 201, body } });

describe('a create that is answered with a webhook that exists already', () => {
	it.each([
		['as the service lists it', {}],
		['by its id alone', { events: undefined, is_active: undefined, company_number: undefined }],
	])('%s, and without a secret, pauses nothing and is named', async (_what, changes) => {
		await watch(simulator, [COMPANY]).publish();
		const [{ id, company_number, events, is_active }] = simulator.webhooks();
		answerCreate({ data: { id, company_number, events, is_active, ...changes } });
		simulator.clearRequests();

		const second = watch(simulator, companyNumbers(20).concat(COMPANY));
		expect(await failureOf(second.publish())).toMatch(new RegExp(`${id} and no signing secret`));
		expect(simulator.webhooks()[0].is_active).toBe(true);
		// The first create goes alone: nothing else was asked for.
		expect(methods(simulator)).toEqual(['GET', 'POST']);
	});

	it('is refused where its id is known here, whatever secret comes with it', async () => {
		const workflow = watch(simulator, [COMPANY]);
		await workflow.publish();
		const [{ id, secret }] = simulator.webhooks();
		answerCreate({ data: { id, secret: 'another' } });
		workflow.setup.parameters = watching([COMPANY, SECOND]);
		const logged = warnings(workflow);
		await workflow.publish();
		expect(logged()).toEqual([expect.stringContaining(`with webhook ${id}, which exists already`)]);
		expect(JSON.stringify(workflow.staticData)).toContain(encodeURIComponent(secret).slice(0, 6));
		expect(JSON.stringify(workflow.staticData)).not.toContain('another');
	});
});

it('a create whose answer cannot be used is asked for once, however many companies are wanted', async () => {
	answerCreate({ created: true }, Infinity);
	await failureOf(watch(simulator, companyNumbers(50)).publish());
	expect(methods(simulator)).toEqual(['GET', 'POST']);
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

	it('does not mind the names of additional events', async () => {
		answerCreate({ data: { id: 'wh-1', secret: 'whsec_kept', events: ['filing.new', 'a.b'] } });
		const parameters = watching([COMPANY], { options: { additionalEvents: 'A.B, c.*' } });
		await watch(simulator, [], { parameters }).publish();
		expect(methods(simulator)).toEqual(['GET', 'POST']);
	});
});

describe('a list that shows what was true a moment ago', () => {
	it('published again while the list still shows it active, a webhook is resumed', async () => {
		const workflow = watch(simulator, [COMPANY]);
		await workflow.publish();
		freezeList(simulator);
		await workflow.unpublish();
		expect(watched(simulator)).toEqual([]);
		await workflow.publish();
		expect(watched(simulator)).toEqual([COMPANY]);
	});

	it('taken out again while the list still shows it paused, a webhook is paused', async () => {
		const workflow = watch(simulator, [COMPANY, SECOND]);
		await workflow.publish();
		await workflow.change({ parameters: watching([COMPANY]) });
		expect(watched(simulator)).toEqual([COMPANY]);
		freezeList(simulator);
		await workflow.change({ parameters: watching([COMPANY, SECOND]) });
		expect(watched(simulator)).toEqual([COMPANY, SECOND]);
		await workflow.change({ parameters: watching([COMPANY]) });
		expect(watched(simulator)).toEqual([COMPANY]);
	});
});
