// What a publish does not set up: companies that the service refuses, each named at once, those that another
// workflow watches, and those for which it answers something that its documentation does not show.
import {
	active,
	companyIn,
	counts,
	failureOf,
	ids,
	methods,
	refuse,
	serviceForEachTest,
	watched,
} from '../../support/atService';
import { warnings } from '../../support/logCapture';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';

const COMPANIES = companyNumbers(60);
const COMPANY = '00445790';
const SECOND = 'SC123456';

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(() => {
	workflow = watch(simulator, COMPANIES);
});

const leaveOut = (companies = COMPANIES) =>
	watching(companies, { options: { refusedCompanies: 'leaveOut' } });

const failure = async () => await failureOf(workflow.publish());

it('names all that are refused, by the words of the service, and what to do: "Leave Out" watches the others, tells the same, and tries again at each publish', async () => {
	const told =
		/"Dissolved companies.*\(10000003, 10000004, 10000005\).*"No such company".*\(10000001, 10000002\)/;
	refuse(simulator, COMPANIES.slice(0, 2), 404, 'No such company');
	refuse(simulator, COMPANIES.slice(2, 5), 422, 'Dissolved companies cannot be watched');
	const message = await failure();
	expect(message).toMatch(
		/^Nothing is watched: 5 companies could not be set up \(55 of 60 succeeded\)\. /,
	);
	expect(message).toMatch(told);
	expect(message).toContain("'Refused Companies' to 'Leave Out'");
	expect(active(simulator)).toEqual([]);

	const logged = warnings(workflow);
	workflow.setup.parameters = leaveOut();
	await workflow.publish();
	expect(active(simulator)).toHaveLength(55);
	expect(logged()).toEqual([
		expect.stringMatching(/55 of 60 companies are watched\. 5 companies could not be set up/),
	]);
	expect(logged()[0]).toMatch(told);

	simulator.clearRequests();
	// Also by a start of n8n, and by its clock.
	await workflow.start();
	expect(methods(simulator)).toEqual(['GET', ...Array<string>(5).fill('POST')]);
	simulator.clearFaults();
	await workflow.tick();
	expect(active(simulator)).toHaveLength(60);
});

it('stops where the latest twenty are refused for the same reason, whatever number its words hold, and says it once', async () => {
	workflow.setup.parameters = leaveOut();
	for (const company of COMPANIES)
		refuse(simulator, [company], 409, `Your plan is used up: ${company}`);
	const message = await failure();
	expect(message).toMatch(
		/^Nothing is watched: 60 companies could not be set up \(0 of 60 succeeded\)\. The service refused the latest 20 companies for the same reason, so 40 more were not asked for\..*"Your plan is used up/,
	);
	expect(simulator.requests.length).toBeLessThan(32);
	expect(message.match(/used up/g)).toHaveLength(1);
});

it('updates that are refused leave the events of before, and it says how many were not asked for', async () => {
	const logged = warnings(workflow);
	await workflow.publish();
	simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 422 } });
	simulator.clearRequests();
	await workflow.change({ parameters: watching(COMPANIES, { events: ['psc.added'] }) });
	const asked = methods(simulator).filter((method) => method === 'PATCH').length;
	expect(asked).toBeLessThan(32);
	const [, notAsked] = /so (\d+) more were not asked for/.exec(logged()[0]) ?? [];
	expect(Number(notAsked)).toBeGreaterThanOrEqual(60 - asked);
	expect(Number(notAsked)).toBeLessThanOrEqual(60 - 20);
	expect(active(simulator)).toHaveLength(60);
	expect(active(simulator).every(({ events: [event] }) => event === 'filing.new')).toBe(true);
	// Whose deliveries start the workflow.
	expect(Object.values(workflow.statuses())).toEqual(COMPANIES.map(() => 'active'));
});

it('"Leave Out" keeps watching the others while the service is down, after a restart and with a renamed node', async () => {
	workflow.setup.parameters = leaveOut();
	refuse(simulator, COMPANIES.slice(0, 4), 404, 'No such company');
	await workflow.publish();
	simulator.fault({ times: Infinity, action: { status: 503 } });
	await workflow.change({ node: { name: 'Portfolio' } });
	await workflow.start();
	expect(active(simulator)).toHaveLength(56);
});

it('rows without a number that are left out are told in the same way, by their place', async () => {
	const logged = warnings(workflow);
	const rows = ['Company no.\tClient', '10000001\tA', 'sole trader\tB', '\tC', '10000002\tD'];
	const options = { unreadableRows: 'leaveOut' };
	workflow.setup.parameters = watching([rows.join('\n')], { options });
	await workflow.publish();
	expect(active(simulator)).toHaveLength(2);
	expect(logged()).toEqual([expect.stringMatching(/row 3 \("sole trader".*row 4 \(empty/)]);
});

describe('companies that another workflow watches already', () => {
	/** One more than may be watched twice without asking. */
	const MANY = companyNumbers(21);

	/** Another workflow of the account watches these: of another n8n, unless told. */
	async function another(companies: string[], isElsewhere = true) {
		const other = watch(simulator, companies);
		if (isElsewhere) await other.restart();
		await other.publish();
		simulator.clearRequests();
		return other;
	}

	it.each([
		['another n8n', true],
		['the same n8n', false],
	])(
		'of %s, it says how many, that events would come twice, and what to do; nothing is made before "Make Another", which leaves those of the other workflow alone',
		async (_where, isElsewhere) => {
			await another(MANY, isElsewhere);
			const before = simulator.webhooks();
			expect(await failureOf(watch(simulator, MANY).publish())).toMatch(
				/^Nothing is watched: .*21 companies .*twice.*Unpublish.*'Already Watched' to 'Make Another'/,
			);
			expect(counts(simulator)).not.toHaveProperty('POST');
			expect(simulator.webhooks()).toEqual(before);
			const parameters = watching(MANY, { options: { alreadyWatched: 'another' } });
			await watch(simulator, [], { parameters }).publish();
			expect(simulator.webhooks().slice(0, 21)).toEqual(before);
			expect(watched(simulator)).toEqual([...MANY, ...MANY].sort());
		},
	);

	it('for up to twenty nothing is asked, nor for those of other companies, and paused ones', async () => {
		await (await another(MANY)).unpublish();
		await another(companyNumbers(80).slice(40));
		await another(MANY.slice(0, 20));
		await watch(simulator, MANY).publish();
		expect(active(simulator)).toHaveLength(40 + 20 + 21);
	});

	it('its own are none: not after a restart, not after an unpublish, not for a list that grows', async () => {
		workflow.setup.parameters = watching(MANY);
		const logged = warnings(workflow);
		await workflow.publish();
		await workflow.start();
		await workflow.change({ parameters: watching(companyNumbers(60)) });
		await workflow.unpublish();
		await workflow.publish();
		expect(watched(simulator)).toEqual(companyNumbers(60));
		expect(ids(simulator)).toHaveLength(60);
		expect(logged()).toEqual([]);
	});

	it('a later publish tells it, makes none of those, and makes the others', async () => {
		await another(companyNumbers(40).slice(5));
		workflow.setup.parameters = watching(companyNumbers(5));
		await workflow.publish();
		const before = watched(simulator);
		const logged = warnings(workflow);
		await workflow.change({
			parameters: watching([...companyNumbers(40), '20000001', '20000002']),
		});
		expect(logged()).toEqual([
			expect.stringMatching(/ 35 companies .*twice.*'Already Watched' to 'Make Another'/),
		]);
		expect(watched(simulator)).toEqual([...before, '20000001', '20000002']);
	});
});

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
		expect(logged()).toEqual([
			expect.stringMatching(`for company 99999999.*\\(${company_number}\\)`),
		]);
		expect(simulator.requests.filter((one) => path.test(one.path))).toHaveLength(1);
	});

	it('does not mind the names of additional events', async () => {
		answerCreate({ data: { id: 'wh-1', secret: 'whsec_kept', events: ['filing.new', 'a.b'] } });
		const parameters = watching([COMPANY], { options: { additionalEvents: 'A.B, c.*' } });
		await watch(simulator, [], { parameters }).publish();
		expect(methods(simulator)).toEqual(['GET', 'POST']);
	});
});
