// A whole list at once: every company that the service refuses is named in one publish.
import { active, companyIn, failureOf, methods, serviceForEachTest } from '../../support/atService';
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

it.each([400, 404, 409, 410, 422])('a refusal with %i does not stop the others', async (status) => {
	refuse([COMPANIES[3]], status, 'No such company');
	expect(await failure()).toMatch(
		/^Nothing is watched: Company 10000004 could not be set up \(59 of 60 succeeded\)\. .*The service said: "No such company"/,
	);
	expect(simulator.webhooks()).toHaveLength(59);
});

it.each([401, 402, 403])('a refusal with %i stops the publish', async (status) => {
	simulator.fault({ method: 'POST', nth: 4, action: { status } });
	expect(await failure()).toMatch(
		/^Nothing is watched: 48 companies could not be set up \(12 of 60 succeeded\)\. /,
	);
	expect(simulator.webhooks().length).toBeLessThan(20);
});

it("names all that are refused, by the service's own words, and what to do", async () => {
	refuse(COMPANIES.slice(0, 2), 404, 'No such company');
	refuse(COMPANIES.slice(2, 5), 422, 'Dissolved companies cannot be watched');
	const message = await failure();
	expect(message).toMatch(
		/^Nothing is watched: 5 companies could not be set up \(55 of 60 succeeded\)\. /,
	);
	expect(message).toMatch(/10000001, 10000002: .*"No such company"/);
	expect(message).toMatch(/10000003, 10000004, 10000005: .*"Dissolved companies/);
	expect(message).toContain("'Refused Companies' to 'Leave Out'");
	expect(active(simulator)).toEqual([]);
});

it.each([
	['all are to be watched', watching(COMPANIES)],
	['refused ones are to be left out', leaveOut()],
])(
	'stops where the latest twenty are refused for the same reason, whatever number its words hold, and says it once: %s',
	async (_what, parameters) => {
		workflow.setup.parameters = parameters;
		for (const company of COMPANIES) refuse([company], 409, `Your plan is used up: ${company}`);
		const message = await failure();
		expect(message).toMatch(
			/^Nothing is watched: 60 companies could not be set up \(0 of 60 succeeded\)\. The service refused the latest 20 companies for the same reason, so 40 more were not asked for\. .*"Your plan is used up/,
		);
		expect(simulator.requests.length).toBeLessThan(32);
		expect(message.match(/used up/g)).toHaveLength(1);
	},
);

describe('"Leave Out"', () => {
	beforeEach(() => {
		workflow.setup.parameters = leaveOut();
	});

	it('watches the others, tells of those left out, and tries them again at each publish', async () => {
		const logged = warnings(workflow);
		refuse(COMPANIES.slice(0, 3), 404, 'No such company');
		refuse([COMPANIES[3]], 422, 'Struck off');
		await workflow.publish();
		expect(active(simulator)).toHaveLength(56);
		expect(logged()).toEqual([
			expect.stringMatching(
				/56 of 60 companies are watched\. 4 companies could not be set up.*10000001, 10000002, 10000003: .*"No such company".* \(invalid\)\. 10000004: /,
			),
		]);

		simulator.clearRequests();
		// Also by a start of n8n that asks the trigger.
		await workflow.restart();
		expect(await workflow.isPublished()).toBe(false);
		await workflow.publish();
		expect(methods(simulator)).toEqual(['GET', 'POST', 'POST', 'POST', 'POST']);
		simulator.clearFaults();
		await workflow.publish();
		expect(active(simulator)).toHaveLength(60);
	});

	it('keeps watching the others while the service is down, after a restart and with a renamed node', async () => {
		refuse(COMPANIES.slice(0, 4), 404, 'No such company');
		await workflow.publish();
		simulator.fault({ times: Infinity, action: { status: 503 } });
		await workflow.change({ node: { name: 'Portfolio' } });
		await workflow.restart();
		await workflow.publish();
		expect(active(simulator)).toHaveLength(56);
	});

	it('never leaves out what concerns the account', async () => {
		refuse([COMPANIES[3]], 402);
		expect(await failure()).toMatch(
			/^Nothing is watched: .*10000004.*plan does not cover this request/,
		);
	});

	it('does not publish where no company is left', async () => {
		workflow.setup.parameters = leaveOut(COMPANIES.slice(0, 2));
		refuse(COMPANIES, 404, 'No such company');
		expect(await failure()).toMatch(
			/^Nothing is watched: 2 companies could not be set up \(0 of 2 succeeded\)/,
		);
	});
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
