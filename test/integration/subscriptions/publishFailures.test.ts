// A publish that fails at any company, by any fault, leaves nothing that the next cannot use, and is taken back unless that comes.
// Takes longer than others, because each fault is met at three places, and a service that hangs is waited for.
import { partition } from 'lodash';

import {
	CONCURRENT_REQUESTS,
	REQUEST_LIMIT,
} from '../../../nodes/CompanyRegistry/registry/registry';
import { startSimulator, type FaultAction, type Simulator } from '../../simulator';
import {
	counts,
	failureOf,
	methods,
	RESUMES,
	serviceForEachTest,
	watched,
} from '../../support/atService';
import { setTimes } from '../../support/times';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { settled } from '../../support/loadedTriggers';

const COMPANIES = companyNumbers(15);
const [ONE, TWO, THREE] = COMPANIES;
const CREATES = { method: 'POST' };
const SUCCEEDED = 'It did not fail';

const simulator = serviceForEachTest();
beforeEach(() => setTimes({ longestPause: 60 }));

/** Companies that the message tells the user to look after. */
function lostIn(message: string): string[] {
	return /sets the company up: ([\d, ]+)\./.exec(message)?.[1].split(', ') ?? [];
}

/** Name, what the service does, what the message says, whether a webhook may exist all the same. */
const FAULTS: Array<[string, FaultAction, RegExp, boolean]> = [
	['500', { status: 500 }, /could not process the request \(HTTP 500\)/, true],
	[
		'429 for an hour',
		{ status: 429, headers: { 'Retry-After': '3600' } },
		/too many requests/,
		false,
	],
	['402', { status: 402 }, /plan does not cover this request/, false],
	['a lost answer', 'dropAfter', /closed before an answer arrived/, true],
	[
		'no secret',
		{ status: 201, body: { data: { id: 'wh_1' } } },
		/with webhook wh_1 and no signing secret.* It is left as it is/,
		false,
	],
];

describe('a publish that meets a fault at the first, a middle or the last company', () => {
	/** Each company has one webhook whose secret is known, and one more only where the user was told of it. */
	function expectWatched(service: Simulator, workflow: SavedWorkflow, lost: string[]): void {
		const known = JSON.stringify(workflow.staticData);
		const isKnown = ({ id, secret }: { id: string; secret: string }) =>
			known.includes(id) && known.includes(secret);
		const [ours, strangers] = partition(service.webhooks(), isKnown);
		expect(ours.map(({ company_number }) => company_number).sort()).toEqual(COMPANIES);
		expect(ours.every(({ is_active }) => is_active)).toBe(true);
		expect(strangers.length).toBeLessThanOrEqual(lost.length);
		expect(strangers.filter(({ company_number }) => !lost.includes(company_number))).toEqual([]);
	}

	/** At each place by itself, with a service of its own. */
	async function atEach(work: (service: Simulator, nth: number) => Promise<void>): Promise<void> {
		await Promise.all(
			[1, 8, 15].map(async (nth) => {
				const service = await startSimulator();
				await work(service, nth);
				await service.close();
			}),
		);
	}

	it.each(FAULTS)(
		'creating, by %s: fails, what exists is paused, and used when it is repeated',
		async (_name, action, words, mayExist) => {
			await atEach(async (service, nth) => {
				const workflow = watch(service, COMPANIES);
				service.fault({ ...CREATES, nth, times: Infinity, action });
				const message = await failureOf(workflow.publish());
				const lost = lostIn(message);
				expect(message).toMatch(words);
				expect(message).toMatch(/^Nothing is watched: .* could not be set up .*Publish again/);
				expect(message).toContain(`(${nth - 1} of 15 succeeded)`);
				expect(lost.length > 0).toBe(mayExist);
				expect(watched(service).filter((company) => !lost.includes(company))).toEqual([]);
				expect(workflow.told).toEqual([]);
				service.clearFaults();
				await workflow.publish();
				expectWatched(service, workflow, lost);
			});
		},
	);

	it.each(FAULTS.filter(([name]) => !/no secret|429/.test(name)))(
		'of a list that was watched, by %s: keeps what could be resumed, tells the rest, creates nothing, and the next check resumes it',
		async (_name, action, words) => {
			await atEach(async (service, nth) => {
				const workflow = watch(service, COMPANIES);
				await workflow.publish();
				await workflow.unpublish();
				service.fault({ ...RESUMES, nth, times: Infinity, action });
				const message = await failureOf(workflow.publish());
				if (nth === 1) expect(message).toMatch(/^Nothing is watched: /);
				else expect([message, watched(service).length >= nth - 1]).toEqual([SUCCEEDED, true]);
				expect(nth === 1 ? message : workflow.told[0]).toMatch(words);
				service.clearFaults();
				if (nth === 1) await workflow.publish();
				else await workflow.tick();
				expectWatched(service, workflow, []);
				expect(service.webhooks()).toHaveLength(15);
			});
		},
	);
});

it('a hanging service is given up after one time limit', async () => {
	simulator.fault({ ...CREATES, nth: 12, times: Infinity, action: 'hang' });
	jest.replaceProperty(REQUEST_LIMIT, 'silence', 1500);
	const { loaded, message } = await watch(simulator, COMPANIES).attempt();
	// Those that were on their way together.
	expect(counts(simulator).POST).toBeLessThanOrEqual(11 + CONCURRENT_REQUESTS);
	expect(message).toMatch(/\(11 of 15 succeeded\)\. .*The registry service did not answer in time/);
	expect(lostIn(message).length).toBeGreaterThan(1);
	await settled(loaded);
});

it('a webhook that the service has forgotten is replaced, and keeps its secret, because it may deliver', async () => {
	const workflow = watch(simulator, COMPANIES);
	await workflow.publish();
	await workflow.unpublish();
	const [forgotten, ...others] = simulator.webhooks();
	simulator.forgetWebhook(forgotten.id);
	simulator.fault({ method: 'POST', action: { status: 402 } });
	await workflow.publish();
	await workflow.publish();
	expect(JSON.stringify(workflow.staticData)).toContain(forgotten.secret);
	expect(simulator.webhooks().slice(0, 14)).toEqual(
		others.map((one) => ({ ...one, is_active: true })),
	);
	expect(watched(simulator)).toEqual(COMPANIES);
});

describe('a resumption that fails', () => {
	let workflow: SavedWorkflow;

	beforeEach(async () => {
		workflow = watch(simulator, [ONE, TWO, THREE]);
		await workflow.publish();
		await workflow.unpublish();
		simulator.clearRequests();
	});

	it.each<[string, number, boolean]>([
		['404 is no proof that the webhook is gone while it is listed', 404, true],
		['a refusal of another kind keeps the webhook, although it is not listed', 422, false],
	])('by %s', async (_what, status, isListed) => {
		const [first] = simulator.webhooks();
		if (!isListed) simulator.forgetWebhook(first.id);
		simulator.fault({ ...RESUMES, path: new RegExp(first.id), action: { status } });
		await workflow.publish();
		expect(workflow.told).toEqual([
			expect.stringMatching(`^2 of 3 companies are watched\\. .*\\(${first.company_number}\\)`),
		]);
		expect(methods(simulator)).not.toContain('POST');
		expect(JSON.stringify(workflow.staticData)).toContain(first.secret);
	});

	it('is paused where an attempt whose answer was lost may have resumed it, though the next was refused', async () => {
		simulator.fault({ ...RESUMES, times: 1, action: 'dropAfter' });
		simulator.fault({ ...RESUMES, times: 1, action: { status: 409 } });
		workflow.setup.parameters = watching([ONE]);
		expect(await failureOf(workflow.publish())).toContain('(0 of 1 succeeded)');
		expect(watched(simulator)).toEqual([]);
	});
});
