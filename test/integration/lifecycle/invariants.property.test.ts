// What holds whatever happens, in any order: the invariants of the trigger's life cycle.
import { setTimeout as sleep } from 'node:timers/promises';

import fc from 'fast-check';
import { difference, map, uniq } from 'lodash';
import type { WorkflowActivateMode } from 'n8n-workflow';

import {
	companiesOf,
	failureOf,
	PAUSES,
	startService,
	type Service,
} from '../../support/atService';
import type { NodeSetup } from '../../support/contexts';
import { warnings } from '../../support/logCapture';
import {
	callHook,
	companyNumbers,
	held,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';
import { HOUR, setTimes } from '../../support/times';

jest.setTimeout(60_000);

/** For each of the three properties, in milliseconds: no sequence begins after that. */
const TIME = 13_000;

/** What is done in one sequence, and checked at its end. */
interface Sequence<Step> {
	act: (step: Step) => Promise<void>;
	end?: () => Promise<void>;
}

/** Tries sequences of such steps, each with a service and a workflow of its own. */
async function always<Step>(
	step: fc.Arbitrary<Step>,
	begin: (simulator: Service, workflow: SavedWorkflow) => Promise<Sequence<Step>>,
): Promise<void> {
	const latest = performance.now() + TIME;
	const steps = fc.array(step, { minLength: 2, maxLength: 7 });
	const property = fc.asyncProperty(steps, async (sequence) => {
		if (performance.now() > latest) return;
		const simulator = await startService();
		const workflow = watch(simulator, companyNumbers(3));
		warnings(workflow);
		try {
			const { act, end } = await begin(simulator, workflow);
			for (const one of sequence) await act(one);
			await end?.();
		} finally {
			workflow.kill();
			await simulator.close();
			jest.restoreAllMocks();
		}
	});
	await fc.assert(property, { numRuns: 60, endOnFailure: true });
}

describe('whatever the trigger is called with', () => {
	const LISTS = [companyNumbers(3), companyNumbers(6), companyNumbers(30).slice(4), []];
	const BROKEN_LISTS = [['sole trader'], ['10000001', '1000000X2'], ['={{ nothing( }}']];
	const EVENTS = [['filing.new'], ['psc.added', 'watch.report'], [], ['={{ $x.y }}']];
	const OTHER_ADDRESSES = ['https://elsewhere.example.com/webhook', 'http://localhost/webhook'];
	const PUBLIC = 'https://n8n.example.com/webhook';
	const opening = (baseUrl: string, apiKey: string) => ({
		companyRegistryApi: { baseUrl, apiKey },
	});
	const CREDENTIALS: Array<(service: Service) => NodeSetup['credentials']> = [
		({ url, apiKey }) => opening(url, apiKey),
		({ url, addApiKey }) => opening(url, addApiKey()),
		({ url }) => opening(url, 'wrong'),
		({ apiKey }) => opening('http://127.0.0.1:9', apiKey),
		() => opening('', ''),
		() => ({}),
	];
	const MODES = ['activate', 'update', 'init', 'leadershipChange'] as const;
	const step = fc.record({
		kind: fc.constantFrom(...MODES, 'delete', 'test', 'restart'),
		companies: fc.constantFrom(...LISTS, ...BROKEN_LISTS),
		events: fc.constantFrom(...EVENTS),
		addressChanged: fc.constantFrom('stop', 'move', 'strange', '={{ nothing( }}'),
		allowLargeRemovals: fc.boolean(),
		credentialsAt: fc.constantFrom(...CREDENTIALS),
		webhookBaseUrl: fc.constantFrom(PUBLIC, PUBLIC, ...OTHER_ADDRESSES),
		node: fc.constantFrom({}, { name: 'Renamed' }),
		/** Whether the parameters are those that were last accepted, so that some calls are starts. */
		isSame: fc.boolean(),
	});

	it('no id and secret of the account is lost, and a start throws and pauses nothing', async () => {
		await always(step, async (simulator, workflow) => {
			setTimes({ beforePausing: 20, pauseAgain: [5], latestAnswer: 3000 });
			await workflow.publish();
			const accepted = () => workflow.state()?.facts.parametersDigest;
			let acceptedParameters = workflow.setup.parameters;
			const publish = async (mode: WorkflowActivateMode, isSame: boolean) => {
				const isPublished = workflow.state()?.facts.phase === 'published';
				const message = await failureOf(workflow.publish(workflow.load(), mode));
				// With other parameters n8n sets up a change, whatever its mode.
				if (mode === 'activate' || !isSame || !isPublished) return;
				expect(message).toBe('It did not fail');
				expect(simulator.requests.filter(PAUSES.when)).toEqual([]);
			};
			return {
				act: async ({ kind, companies, events, credentialsAt, isSame, ...more }) => {
					const { webhookBaseUrl, node, ...options } = more;
					const credentials = credentialsAt(simulator);
					const other = watching(companies, { events, options });
					const parameters = isSame ? acceptedParameters : other;
					Object.assign(workflow.setup, { parameters, credentials, webhookBaseUrl, node });
					const before = accepted();
					simulator.clearRequests();
					if (kind === 'restart') await workflow.restart();
					else if (kind === 'delete') await workflow.unpublish();
					else if (kind === 'test') await callHook('delete', workflow.load(), true);
					else await publish(kind, isSame);
					await workflow.idle();
					if (accepted() !== before) acceptedParameters = parameters;
					expect(held(simulator, workflow)).toEqual(simulator.webhooks());
				},
			};
		});
	});
});

describe('after any sequence of publishes, kills, restarts, outages, lost answers and drift', () => {
	const KINDS = ['publish', 'kill', 'stop', 'outage', 'lost', 'drift', 'check'] as const;
	const step = fc.record({
		kind: fc.constantFrom(...KINDS, 'publish', 'drift'),
		companies: fc.integer({ min: 1, max: 30 }),
		events: fc.constantFrom<string[][]>(['filing.new'], ['psc.added', 'filing.new']),
		change: fc.constantFrom('remove' as const, { is_active: false }, { events: ['psc.added'] }),
		requests: fc.integer({ min: 1, max: 25 }),
	});

	it('one check leaves each company with one active webhook whose secret is held, and the next check is one GET', async () => {
		await always(step, async (simulator, workflow) => {
			setTimes({ earlyAnswer: 100, beforePausing: 50 });
			let desired = companyNumbers(3);
			let isPublished = true;
			/** After these, the service may hold a webhook that the trigger cannot verify. */
			const mishaps: string[] = [];
			let restarts = 0;
			await workflow.publish();
			simulator.latencyMs = 10;
			return {
				act: async ({ kind, companies, events, change, requests }) => {
					// A company whose answer was lost twice waits for a publish.
					if ((kind === 'kill' || kind === 'lost') && mishaps.length > 0) return;
					if (kind === 'publish') {
						desired = companyNumbers(companies);
						// Otherwise a shorter list could keep companies of a setup that it interrupts.
						const options = { allowLargeRemovals: true };
						const parameters = watching(desired, { events, options });
						isPublished = (await failureOf(workflow.submit({ parameters }))) === 'It did not fail';
					} else if (kind === 'outage') {
						simulator.fault({ times: requests, action: { status: 503 } });
					} else if (kind === 'lost') {
						mishaps.push(kind);
						simulator.fault({ method: 'POST', action: 'dropAfter' });
					} else if (kind === 'drift') {
						// More than twenty that are gone at once look like another account, where the list shows none of ours.
						simulator.drift(change, companyNumbers(Math.min(requests, 20)));
					} else if (kind === 'check') {
						await workflow.later();
					} else {
						if (kind === 'kill') mishaps.push(kind);
						restarts++;
						await simulator.received(Math.min(requests, simulator.requests.length));
						await workflow[kind]();
						await sleep(60);
						await workflow.restart();
						if (isPublished) await workflow.register(workflow.load(), 'init');
					}
				},
				end: async () => {
					await workflow.idle();
					simulator.clearFaults();
					simulator.latencyMs = 0;
					if (!isPublished) return;
					await workflow.later();
					const ours = held(simulator, workflow).filter((one) => one.is_active);
					const companies = companiesOf(ours);
					// A start takes no company out, so a change that it interrupts is not finished.
					if (restarts === 0) expect(companies).toEqual(desired);
					else expect(companies).toEqual(expect.arrayContaining(desired));
					expect(uniq(companies)).toEqual(companies);
					if (mishaps.length === 0) expect(simulator.watched()).toEqual(companies);
					simulator.clearRequests();
					await workflow.later();
					expect(simulator.methods()).toEqual(['GET']);
				},
			};
		});
	});
});

describe('after any sequence of aborts', () => {
	const EVENTS = ['filing.new', 'watch.report'];
	const KINDS = ['change', 'change', 'remove', 'pause', 'outage', 'refusedPause', 'check'] as const;
	const step = fc.record({
		kind: fc.constantFrom(...KINDS, 'account' as const),
		/** So many companies, from this one on: more than half of them stay at a change. */
		count: fc.integer({ min: 7, max: 9 }),
		from: fc.integer({ min: 0, max: 2 }),
		company: fc.integer({ min: 0, max: 8 }),
		/** What ends the pass that follows, after so many requests. */
		end: fc.constantFrom('nothing', 'nothing', 'publish', 'stop', 'unpublish'),
		requests: fc.integer({ min: 1, max: 8 }),
	});

	/** Companies whose events may be missing, by the reports. */
	function missingIn({ shown }: SavedWorkflow): string[] {
		return uniq(shown.flatMap(({ missing }) => map(missing.companies, 'company_number')));
	}

	it('each drift, added and removed company, and webhook left elsewhere has been reported once', async () => {
		await always(step, async (simulator, workflow) => {
			setTimes({ earlyAnswer: 5000, beforePausing: 30, beforeReport: 600_000 });
			let wanted = companyNumbers(8);
			/** Of the companies that were watched, by what a report has to say of them. */
			const drifts: string[] = [];
			const left: string[] = [];
			/** An unpublish may find a drift when it pauses. */
			const unsure: string[] = [];
			workflow.setup.parameters = watching(wanted, { events: EVENTS });
			await workflow.publish();
			simulator.latencyMs = 5;
			return {
				act: async ({ kind, count, from, company, end, requests }) => {
					const expected = { left, drifts: end === 'unpublish' ? unsure : drifts };
					await settle(simulator, workflow, kind, company, expected);
					if (kind === 'change') {
						wanted = companyNumbers(from + count).slice(from);
						workflow.setup.parameters = watching(wanted, { events: EVENTS });
						await aborted(simulator, workflow, requests, end, workflow.submit());
					} else {
						await aborted(simulator, workflow, requests, end, workflow.later());
					}
				},
				end: async () => {
					simulator.clearFaults();
					await workflow.idle();
					// What was told of the same companies today is told the next day.
					for (let nth = 0; nth < 3; nth++) await workflow.later(25 * HOUR);
					expect(difference(drifts, missingIn(workflow))).toEqual([]);
					const told = workflow.shown.map(({ summary }) => summary).join('\n');
					for (const id of left) expect([id, told.split(`- ${id} `).length - 1]).toEqual([id, 1]);
					expectEachOnce(workflow, wanted);
				},
			};
		});
	});

	/** Does what a step says, once nothing goes on any more that could be mistaken for it. */
	async function settle(
		simulator: Service,
		workflow: SavedWorkflow,
		kind: string,
		company: number,
		{ drifts, left }: Record<'drifts' | 'left', string[]>,
	): Promise<void> {
		simulator.clearFaults();
		await workflow.idle();
		await workflow.later();
		const ours = held(simulator, workflow).filter((one) => one.is_active);
		if (kind === 'outage') simulator.fault({ method: 'POST', times: 1, action: { status: 503 } });
		if (kind === 'refusedPause') simulator.fault({ ...PAUSES, times: 1, action: { status: 422 } });
		if (kind === 'account' && left.length === 0) {
			// The published trigger sees it, too.
			const { companyRegistryApi: credential } = workflow.setup.credentials ?? {};
			credential.apiKey = simulator.addAccount().apiKey;
			left.push(...map(ours, 'id'));
		}
		if (kind !== 'pause' && kind !== 'remove') return;
		const { company_number: number } = ours[company % ours.length];
		drifts.push(number);
		const isPause = kind === 'pause' && left.length === 0;
		simulator.drift(isPause ? { is_active: false } : 'remove', [number]);
	}

	/** Ends what goes on after so many requests, and goes on as n8n and a person would. */
	async function aborted(
		simulator: Service,
		workflow: SavedWorkflow,
		requests: number,
		end: string,
		act: Promise<void>,
	): Promise<void> {
		const done = act.catch(() => undefined);
		const { length } = simulator.requests;
		const isReached = async () =>
			await simulator.received(length + requests).catch(() => undefined);
		await Promise.race([isReached(), done.then(async () => await workflow.idle())]);
		if (end === 'stop') {
			await workflow.stop();
			await workflow.start();
		}
		if (end === 'publish') await workflow.change();
		if (end === 'unpublish') {
			await workflow.unpublish();
			await workflow.publish();
		}
		await done;
		await workflow.idle();
	}

	/** Each item changes what a person knows to be watched, and nothing is said twice. */
	function expectEachOnce({ shown }: SavedWorkflow, wanted: string[]): void {
		const known = new Set<string>();
		for (const item of shown) {
			// In another account all are new.
			if (item.summary.includes('may still be active elsewhere')) known.clear();
			const added = map(item.added.companies, 'company_number');
			const removed = map(item.removed.companies, 'company_number');
			expect(added.filter((company) => known.has(company))).toEqual([]);
			expect(removed.filter((company) => !known.has(company))).toEqual([]);
			for (const company of added) known.add(company);
			for (const company of removed) known.delete(company);
		}
		expect([...known].sort()).toEqual(wanted);
	}
});
