// A whole list at once: every company that the service refuses is named in one publish.
import { startSimulator, type Fault, type Simulator } from '../../simulator';
import { active, companyIn, failureOf } from '../../support/atService';
import {
	callHook,
	companyNumbers,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';
import { warnings } from '../../support/warnings';

const COMPANIES = companyNumbers(60);

let simulator: Simulator;
let workflow: SavedWorkflow;

beforeEach(async () => {
	simulator = await startSimulator();
	workflow = watch(simulator, COMPANIES);
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

const leaveOut = watching(COMPANIES, { options: { refusedCompanies: 'leaveOut' } });

/** The service refuses to create webhooks of these companies, in these words. */
function refuse(companies: string[], status: number, message?: string): void {
	const fault: Fault = {
		method: 'POST',
		times: Infinity,
		when: ({ body }) => companies.includes(companyIn(body)),
		action: {
			status,
			...(message ? { body: { error: 'invalid', message, status } } : {}),
		},
	};
	simulator.fault(fault);
}

const failure = async () => await failureOf(workflow.publish());

it.each([400, 404, 409, 410, 422])('a refusal with %i does not stop the others', async (status) => {
	refuse([COMPANIES[3]], status, 'No such company');
	expect(await failure()).toMatch(
		/^Company 10000004 could not be set up \(59 of 60 succeeded\)\. .*The service said: "No such company"/,
	);
	expect(simulator.webhooks()).toHaveLength(59);
});

it.each([401, 402, 403])('a refusal with %i stops the publish', async (status) => {
	simulator.fault({ method: 'POST', nth: 4, action: { status } });
	expect(await failure()).toMatch(/^Company 100000\d\d could not be set up/);
	expect(simulator.webhooks().length).toBeLessThan(20);
});

it("names all that are refused, by the service's own words, and what to do", async () => {
	refuse(COMPANIES.slice(0, 2), 404, 'No such company');
	refuse(COMPANIES.slice(2, 5), 422, 'Dissolved companies cannot be watched');
	const message = await failure();
	expect(message).toMatch(/^5 companies could not be set up \(55 of 60 succeeded\)\. /);
	expect(message).toMatch(/10000001, 10000002: .*"No such company"/);
	expect(message).toMatch(/10000003, 10000004, 10000005: .*"Dissolved companies/);
	expect(message).toContain("'Refused Companies' to 'Leave Out'");
	expect(active(simulator)).toEqual([]);
});

it('names twenty and how many more', async () => {
	refuse(COMPANIES.slice(0, 32), 404, 'No such company');
	const all = watch(simulator, COMPANIES);
	// One is accepted before, so that the refusals are no sign that the service refuses all.
	all.setup.parameters = watching([COMPANIES[59]]);
	await all.publish();
	all.setup.parameters = watching(COMPANIES);
	workflow = all;
	const message = await failure();
	expect(message).toMatch(/^32 companies could not be set up \(28 of 60 succeeded\)\. /);
	expect(message).toContain('10000020 and 12 more: ');
	expect(message).not.toContain('10000021');
});

it('stops where the first twenty are refused in the same words, and says it once', async () => {
	refuse(COMPANIES, 422, 'Unknown event');
	const message = await failure();
	expect(message).toMatch(
		/^The webhooks could not be set up \(0 of 60 succeeded\)\. The service refused the latest 20 companies in the same words, so 40 were not asked for\. .*"Unknown event"/,
	);
	expect(simulator.requests.length).toBeLessThan(32);
	expect(message.match(/Unknown event/g)).toHaveLength(1);
});

it('goes on where they are refused in different words', async () => {
	for (const [index, company] of COMPANIES.entries()) refuse([company], 422, `Reason ${index}`);
	expect(await failure()).toMatch(/^60 companies could not be set up/);
});

describe('"Leave Out"', () => {
	beforeEach(() => {
		workflow.setup.parameters = leaveOut;
	});

	it('watches the others, logs those left out, and tries them again at each publish', async () => {
		const logged = warnings(workflow);
		refuse(COMPANIES.slice(0, 3), 404, 'No such company');
		refuse([COMPANIES[3]], 422, 'Struck off');
		await workflow.publish();
		expect(active(simulator)).toHaveLength(56);
		expect(logged()).toEqual([
			expect.stringMatching(
				/leaves out 4 of 60 companies.*10000001, 10000002, 10000003: .*"No such company".* \(invalid\)\. 10000004: /,
			),
		]);

		simulator.clearRequests();
		await workflow.publish();
		expect(simulator.requests.map(({ method }) => method)).toEqual([
			'GET',
			...Array.from({ length: 4 }, () => 'POST'),
		]);
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

	it('is no longer as wanted once companies are not to be left out, also while the service is down', async () => {
		refuse([COMPANIES[0]], 404, 'No such company');
		await workflow.publish();
		simulator.fault({ times: Infinity, action: { status: 402 } });
		await expect(workflow.change({ parameters: watching(COMPANIES) })).rejects.toThrow(
			'plan does not cover',
		);
	});

	it('has those left out tried again by a start of n8n that asks the trigger', async () => {
		refuse([COMPANIES[0]], 404, 'No such company');
		await workflow.publish();
		await workflow.restart();
		expect(await callHook('checkExists', workflow.load())).toBe(false);
	});

	it('never leaves out what concerns the account', async () => {
		refuse([COMPANIES[3]], 402);
		expect(await failure()).toMatch(/^Company 10000004 could not be set up/);
	});

	it('does not publish where no company is left', async () => {
		workflow.setup.parameters = watching(COMPANIES.slice(0, 2), {
			options: { refusedCompanies: 'leaveOut' },
		});
		refuse(COMPANIES, 404, 'No such company');
		expect(await failure()).toMatch(/^2 companies could not be set up \(0 of 2 succeeded\)/);
	});
});

it('numbers that cannot be company numbers are named together, with their places, before any request', async () => {
	const wrong = Array.from({ length: 23 }, (_, index) => `wrong-${index}`);
	workflow.setup.parameters = watching(['00445790', ...wrong]);
	const message = await failure();
	expect(message).toMatch(
		/^23 of 24 companies are not company numbers: "wrong-0" \(number 2\), "wrong-1" \(number 3\), .*"wrong-19" \(number 21\) and 3 more\. /,
	);
	expect(simulator.requests).toEqual([]);
});
