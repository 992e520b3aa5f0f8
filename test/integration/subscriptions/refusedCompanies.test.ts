// What a publish does not set up: companies that the service refuses, each named at once, and those that another
// workflow watches.
import {
	active,
	companyIn,
	counts,
	failureOf,
	ids,
	methods,
	serviceForEachTest,
	watched,
} from '../../support/atService';
import { warnings } from '../../support/logCapture';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';

const COMPANIES = companyNumbers(60);

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(() => {
	workflow = watch(simulator, COMPANIES);
});

const leaveOut = (companies = COMPANIES) =>
	watching(companies, { options: { refusedCompanies: 'leaveOut' } });

/** The service refuses to create webhooks of these companies, in these words. */
function refuse(companies: string[], status: number, message?: string): void {
	simulator.fault({
		method: 'POST',
		times: Infinity,
		when: ({ body }) => companies.includes(companyIn(body)),
		action: { status, ...(message ? { body: { error: 'invalid', message, status } } : {}) },
	});
}

const failure = async () => await failureOf(workflow.publish());

it('a refusal that concerns the account stops the publish', async () => {
	simulator.fault({ method: 'POST', nth: 4, action: { status: 402 } });
	expect(await failure()).toMatch(
		/^Nothing is watched: 48 companies could not be set up \(12 of 60 succeeded\)\. /,
	);
	expect(simulator.webhooks().length).toBeLessThan(20);
});

it('names all that are refused, by the words of the service, and what to do: "Leave Out" watches the others, tells the same, and tries again at each publish', async () => {
	const told =
		/10000001, 10000002: .*"No such company".*10000003, 10000004, 10000005: .*"Dissolved companies/;
	refuse(COMPANIES.slice(0, 2), 404, 'No such company');
	refuse(COMPANIES.slice(2, 5), 422, 'Dissolved companies cannot be watched');
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
	// Also by a start of n8n that asks the trigger.
	await workflow.restart();
	expect(await workflow.isPublished()).toBe(false);
	await workflow.publish();
	expect(methods(simulator)).toEqual(['GET', ...Array<string>(5).fill('POST')]);
	simulator.clearFaults();
	await workflow.publish();
	expect(active(simulator)).toHaveLength(60);
});

it('stops where the latest twenty are refused for the same reason, whatever number its words hold, and says it once', async () => {
	workflow.setup.parameters = leaveOut();
	for (const company of COMPANIES) refuse([company], 409, `Your plan is used up: ${company}`);
	const message = await failure();
	expect(message).toMatch(
		/^Nothing is watched: 60 companies could not be set up \(0 of 60 succeeded\)\. The service refused the latest 20 companies for the same reason, so 40 more were not asked for\. .*"Your plan is used up/,
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
	refuse(COMPANIES.slice(0, 4), 404, 'No such company');
	await workflow.publish();
	simulator.fault({ times: Infinity, action: { status: 503 } });
	await workflow.change({ node: { name: 'Portfolio' } });
	await workflow.restart();
	await workflow.publish();
	expect(active(simulator)).toHaveLength(56);
});

it('rows without a number that are left out are told in the same way, by their place', async () => {
	const logged = warnings(workflow);
	const rows = ['Company no.\tClient', '10000001\tA', 'sole trader\tB', '\tC', '10000002\tD'];
	const options = { unreadableRows: 'leaveOut' };
	workflow.setup.parameters = watching([rows.join('\n')], { options });
	await workflow.publish();
	expect(active(simulator)).toHaveLength(2);
	expect(logged()).toEqual([expect.stringContaining('row 3 ("sole trader"), row 4 (empty)')]);
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
				/^Nothing is watched: 21 companies .*twice.*Unpublish.*'Already Watched' to 'Make Another'/,
			);
			expect(counts(simulator)).not.toHaveProperty('POST');
			expect(simulator.webhooks()).toEqual(before);
			const parameters = watching(MANY, { options: { alreadyWatched: 'makeAnother' } });
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
		await workflow.restart();
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
