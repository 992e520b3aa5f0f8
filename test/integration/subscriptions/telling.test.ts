// What a published trigger shows, tells and stores by itself, and what a person is asked before companies are taken out.
import type { IDataObject } from 'n8n-workflow';

import {
	counts,
	failureOf,
	methods,
	PAUSES,
	refuse,
	serviceForEachTest,
	watched,
} from '../../support/atService';
import { warnings } from '../../support/logCapture';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { setTimes } from '../../support/times';

const COMPANIES = companyNumbers(5);
const [ONE, TWO] = COMPANIES;
const HOUR = 3_600_000;

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(() => {
	setTimes({ longestPause: 60 });
	workflow = watch(simulator, COMPANIES);
});

const pause = (company: string) => {
	const found = simulator.webhooks().find(({ company_number }) => company_number === company);
	if (found) simulator.restoreWebhook({ ...found, is_active: false });
};

describe('"Watch Status"', () => {
	const status = (companies: string[], more = {}) =>
		watching(companies, { events: ['filing.new', 'watch.status'], ...more });
	/** What the latest item says, lists by their companies. */
	const latest = () => {
		const { added, removed, mended, left, ...item } = workflow.shown.at(-1) ?? ({} as never);
		const lists = { added, removed, mended, left };
		const numbers = Object.entries(lists).map(([name, { companies }]) => [
			name,
			companies.map(({ company_number }) => company_number),
		]);
		return { ...item, ...(Object.fromEntries(numbers) as Record<keyof typeof lists, string[]>) };
	};

	beforeEach(async () => {
		workflow.setup.parameters = status(COMPANIES);
		await workflow.publish();
	});

	it('is an item like any other, is never asked of the service, and says at the end of a publish that all is watched', () => {
		expect(workflow.executions).toHaveLength(1);
		const [{ json }] = workflow.executions[0].items;
		expect(json).toEqual({
			event: 'watch.status',
			event_name: 'Watch Status',
			company_number: null,
			company_name: null,
			list_columns: null,
			webhook_id: null,
			delivery_id: null,
			received_at: expect.stringMatching(/^\d{4}-.*Z$/),
			payload: {
				state: 'complete',
				summary: '5 of 5 companies are watched.',
				wanted: 5,
				watched: 5,
				added: { count: 5, companies: expect.any(Array) },
				removed: { count: 0, companies: [] },
				mended: { count: 0, companies: [] },
				left: { count: 0, companies: [] },
				checked_at: json.received_at,
			},
		});
		expect(simulator.webhooks().map(({ events }) => events.join())).toEqual(
			COMPANIES.map(() => 'filing.new'),
		);
	});

	it('says what a change has added, removed and left, with reasons and names', async () => {
		refuse(simulator, ['10000007'], 422, 'No such company');
		const table = [...companyNumbers(7).slice(1)].map((one) => `${one}\tClient ${one}`).join('\n');
		await workflow.change({
			parameters: status([], { companyNumbers: `Company no.\tName\n${table}` }),
		});
		expect(latest()).toMatchObject({
			state: 'incomplete',
			wanted: 6,
			watched: 5,
			added: ['10000006', '10000007'],
			removed: [ONE],
			left: ['10000007'],
		});
		expect(workflow.shown.at(-1)?.left.companies[0]).toMatchObject({
			company_name: 'Client 10000007',
			reason: expect.stringContaining('No such company'),
		});
	});

	it('says that a list cannot be read, and that all of before stay watched, once', async () => {
		const list = `Company no.\tName\n${ONE}\tA\nsole trader\tB`;
		await workflow.change({ parameters: status([], { companyNumbers: list }) });
		await workflow.tick(2 * HOUR);
		expect(workflow.shown).toHaveLength(2);
		expect(latest()).toMatchObject({
			state: 'incomplete',
			summary: expect.stringMatching(/^Nothing was changed: the 5 companies .*sole trader/),
			watched: 5,
			left: [],
		});
	});

	it('says once that a company is refused, which a check stores nothing of', async () => {
		refuse(simulator, ['10000006']);
		await workflow.change({ parameters: status(companyNumbers(6)) });
		await workflow.tick();
		const { stores } = workflow;
		for (const hours of [2, 3]) await workflow.tick(hours * HOUR);
		expect(workflow.shown.map(({ state }) => state)).toEqual(['complete', 'incomplete']);
		expect(workflow.stores).toBe(stores);
	});

	it('says what a check has mended, and nothing where it finds nothing', async () => {
		await workflow.tick();
		expect(workflow.shown).toHaveLength(1);
		pause(TWO);
		await workflow.tick(2 * HOUR);
		expect(latest()).toMatchObject({ state: 'mended', mended: [TWO], watched: 5 });
		await workflow.tick(3 * HOUR);
		expect(workflow.shown).toHaveLength(2);
	});

	it('says that work goes on behind the answer, and when it has come to its end', async () => {
		setTimes({ answer: 500 });
		simulator.latencyMs = 200;
		await workflow.change({ parameters: status(companyNumbers(60)) });
		expect(workflow.shown.slice(1).map(({ state }) => state)).toEqual(['settingUp', 'complete']);
		expect(workflow.shown[1].watched).toBeLessThan(60);
		expect(latest()).toMatchObject({ watched: 60, wanted: 60 });
		expect(workflow.told).toEqual([]);
	});

	it('names companies that have another webhook, and what to do, which nothing else tells', async () => {
		await watch(simulator, [TWO]).publish();
		const id = simulator.webhooks().at(-1)?.id;
		await workflow.tick();
		expect(workflow.shown).toHaveLength(1);
		await workflow.change({ parameters: status(companyNumbers(6)) });
		expect(latest()).toMatchObject({
			state: 'complete',
			summary: expect.stringMatching(
				RegExp(`^6 of 6 .+another active webhook.+Webhook → Pause.+: ${id} \\(10000002\\)\\.$`),
			),
		});
		expect(workflow.told).toEqual([]);
	});

	it('alone is not enough', async () => {
		const alone = watch(simulator, [], { parameters: status([ONE], { events: ['watch.status'] }) });
		expect(await failureOf(alone.publish())).toMatch(/^Nothing is watched: /);
	});
});

describe('what is told', () => {
	beforeEach(async () => await workflow.publish());

	it.each([{ onError: 'continueRegularOutput' }, { onError: 'continueErrorOutput' }] as const)(
		'with %j does not go to the next step',
		async (node) => {
			await workflow.change({ node });
			pause(ONE);
			await workflow.tick();
			expect(workflow.executions).toEqual([
				{ items: [], error: expect.stringContaining('Events may be missing') },
			]);
			expect(workflow.stores).toBe(1);
		},
	);

	it('names webhooks that could not be paused with the number and the name of their companies', async () => {
		const named = COMPANIES.map((company) => `${company}\tOf ${company}`);
		const listOf = (rows: string[]) =>
			watching([], { companyNumbers: ['Company no.\tClient', ...rows].join('\n') });
		await workflow.change({ parameters: listOf(named) });
		simulator.fault({ ...PAUSES, times: Infinity, action: { status: 422 } });
		await workflow.change({ parameters: listOf(named.slice(1)) });
		expect(workflow.told).toEqual([
			expect.stringMatching(/may stay active: .+ wh_\w+ \(10000001 Of 10000001\)\.$/),
		]);
	});

	it('is in the log, too, and again when it changes', async () => {
		const logged = warnings(workflow);
		refuse(simulator, ['10000006']);
		await workflow.change({ parameters: watching(companyNumbers(6)) });
		await workflow.tick();
		refuse(simulator, ['10000006'], 409, 'Other words');
		expect(workflow.told).toHaveLength(1);
		simulator.clearFaults();
		refuse(simulator, ['10000006'], 409, 'Other words');
		await workflow.tick(3 * HOUR);
		expect(workflow.told).toHaveLength(2);
		for (const words of workflow.told) expect(logged().join('\n')).toContain(words);
	});
});

describe('what stays the same is told once', () => {
	it.each<[string, number, (nth: number) => string]>([
		[
			'though the words of the service hold the number of a request',
			6,
			(nth) => `Refused. Request ${nth}`,
		],
		[
			'though 77 are refused, of which each check asks for others',
			82,
			() => 'Webhook limit reached',
		],
	])('%s', async (_what, count, words) => {
		await workflow.publish();
		for (let nth = 0; nth < 200; nth++) {
			const body = { error: 'refused', message: words(nth), status: 422 };
			simulator.fault({ method: 'POST', action: { status: 422, body } });
		}
		await workflow.change({ parameters: watching(companyNumbers(count)) });
		for (const hours of [1, 2, 3]) await workflow.tick(hours * HOUR);
		expect(workflow.told).toEqual([expect.stringMatching(`^5 of ${count} companies are watched`)]);
	});
});

describe('"Always Output Data", with which n8n would start the next step at each store', () => {
	const node = { alwaysOutputData: true };

	it('is refused by a first publish', async () => {
		workflow.setup.node = node;
		expect(await failureOf(workflow.publish())).toMatch(
			/^Nothing is watched: Switch off 'Always Output Data'/,
		);
		expect(methods(simulator)).toEqual([]);
	});

	it('changes nothing by a later one, which tells the same, and nothing is put out without items', async () => {
		await workflow.publish();
		const { stores } = workflow;
		await workflow.change({ node, parameters: watching(companyNumbers(6)) });
		expect(watched(simulator)).toEqual(COMPANIES);
		expect(workflow.told).toEqual([
			expect.stringMatching(/5 companies of before stay watched.*'Always Output Data'/),
		]);
		expect(workflow.stores).toBe(stores);
	});

	it.each([[['20000001']], [[ONE, '20000001']]])(
		'also where the list is another: %j',
		async (list) => {
			await workflow.publish();
			await workflow.change({ node, parameters: watching(list) });
			expect(watched(simulator)).toEqual(COMPANIES);
			expect(workflow.told).toEqual([
				expect.stringMatching(/5 companies of before stay watched.*'Always Output Data'/),
			]);
		},
	);
});

describe("n8n's attempts of a publish that fails", () => {
	beforeEach(() => {
		setTimes({ attempts: 5000 });
		simulator.fault({ method: 'POST', times: Infinity, action: { status: 402 } });
	});

	it('get the words of the first one, and send nothing, until their time is over or something is changed', async () => {
		const first = await failureOf(workflow.publish());
		simulator.clearRequests();
		for (let attempt = 0; attempt < 4; attempt++) {
			expect(await failureOf(workflow.publish())).toBe(first);
		}
		expect(methods(simulator).filter((method) => method === 'POST')).toEqual([]);
		simulator.clearFaults();
		await workflow.publish();
		expect(watched(simulator)).toEqual(COMPANIES);
	});

	it.each<[string, () => void]>([
		['the list', () => (workflow.setup.parameters = watching([ONE, TWO]))],
		[
			'the key',
			() => {
				const apiKey = simulator.addApiKey();
				workflow.setup.credentials = { companyRegistryApi: { baseUrl: simulator.url, apiKey } };
			},
		],
		['the time', () => setTimes({ attempts: 0 })],
	])('are tried where %s is another', async (_what, correct) => {
		await failureOf(workflow.publish());
		simulator.clearFaults();
		correct();
		await workflow.publish();
		expect(watched(simulator).length).toBeGreaterThan(1);
	});
});

describe('a list with another number under the same name', () => {
	const listing = (rows: string[]) =>
		watching([], { companyNumbers: ['Company no.\tClient', ...rows].join('\n') });

	it('is carried out, and told, because a digit that is missing looks like that', async () => {
		workflow.setup.parameters = listing([`${ONE}\tA Ltd`, `${TWO}\tB Ltd`]);
		await workflow.publish();
		await workflow.change({ parameters: listing([`${ONE}\tA Ltd`, '1000002\tB Ltd']) });
		expect(watched(simulator)).toEqual(['01000002', ONE]);
		expect(workflow.told).toEqual([
			`2 of 2 companies are watched. Another number under the same name; correct it if it is a slip: ${TWO} B Ltd, now 01000002.`,
		]);
		await workflow.tick();
		expect(workflow.told).toHaveLength(1);
	});

	it.each([
		['in another case, with other spaces', ['1000002\tb  LTD.'], '01000002'],
		['twice', ['1000002\tB Ltd', '1000003\tB Ltd'], '01000002 or 01000003'],
	])('and has that name %s', async (_what, rows, now) => {
		workflow.setup.parameters = listing([`${ONE}\tA Ltd`, `${TWO}\tB Ltd`]);
		await workflow.publish();
		await workflow.change({ parameters: listing([`${ONE}\tA Ltd`, ...rows]) });
		expect(workflow.told.at(-1)).toMatch(`if it is a slip: ${TWO} B Ltd, now ${now}.`);
	});

	it('is told when it is carried out, where another cell had it held back', async () => {
		const rows = [`${ONE}\tA Ltd`, '1000002\tB Ltd', '1000000X3\tC Ltd'];
		const parameters = { ...listing(rows), options: { unreadableRows: 'leaveOut' } };
		workflow.setup.parameters = listing([`${ONE}\tA Ltd`, `${TWO}\tB Ltd`]);
		await workflow.publish();
		await workflow.change({ parameters });
		expect(workflow.told.at(-1)).toMatch('Nobody was paused');
		await workflow.change();
		expect(workflow.told.at(-1)).toMatch(`if it is a slip: ${TWO} B Ltd, now 01000002.`);
	});

	it("is told with n8n's answer, if the work goes on behind it", async () => {
		workflow.setup.parameters = listing([`${ONE}\tA Ltd`, `${TWO}\tB Ltd`]);
		await workflow.publish();
		setTimes({ answer: 50, passingFault: 50 });
		simulator.fault({ method: 'POST', times: Infinity, action: { status: 503 } });
		await workflow.submit({ parameters: listing([`${ONE}\tA Ltd`, '1000002\tB Ltd']) });
		expect(workflow.told).toEqual([
			expect.stringMatching(`if it is a slip: ${TWO} B Ltd, now 01000002.`),
		]);
		await workflow.stop();
	});
});

describe('a list with a cell that looks like a number that went wrong', () => {
	const without = (cell: string) =>
		watching([], {
			companyNumbers: ['Company no.\tClient', `${ONE}\tA`, `${cell}\tB`].join('\n'),
			options: { unreadableRows: 'leaveOut' },
		});

	beforeEach(async () => await workflow.publish());

	it('pauses nobody, asks, and is carried out when it is published again', async () => {
		await workflow.change({ parameters: without('1000000X2') });
		expect(watched(simulator)).toEqual(COMPANIES);
		expect(workflow.told).toEqual([
			expect.stringMatching(
				/^5 of 5 .*Nobody was paused.*publish it again with the same list\. The cells: [^.]*1000000X2[^.]*\. Not in the list any more: 10000002/,
			),
		]);
		expect(workflow.told[0].match(/1000000X2/g)).toHaveLength(1);
		await workflow.tick();
		expect(watched(simulator)).toEqual(COMPANIES);
		await workflow.change();
		expect(watched(simulator)).toEqual([ONE]);
	});

	it('says by the names of the list before whom it would have paused, and has', async () => {
		const events = ['filing.new', 'watch.status'];
		const named = [
			'Company no.\tClient',
			...COMPANIES.map((company) => `${company}\tOf ${company}`),
		];
		await workflow.change({ parameters: watching([], { companyNumbers: named.join('\n') }) });
		const parameters = { ...without('1000000X2'), events };
		await workflow.change({ parameters });
		expect(workflow.told.at(-1)).toMatch('any more: 10000002 Of 10000002, 10000003 Of 10000003');
		await workflow.change();
		const [first] = workflow.shown.at(-1)?.removed.companies ?? [];
		expect(first).toEqual({ company_number: TWO, company_name: `Of ${TWO}` });
	});

	it('does not ask because of a total, which changes with each list', async () => {
		const total = watching([], {
			companyNumbers: ['Company no.\tClient', `${ONE}\tA`, '301\tTotal'].join('\n'),
			options: { unreadableRows: 'leaveOut' },
		});
		await workflow.change({ parameters: total });
		expect(watched(simulator)).toEqual([ONE]);
		expect(workflow.told).toEqual([
			expect.stringMatching(/^1 of 1 companies are watched\. Left out.*"301" may be a total/),
		]);
	});

	it('asks again for another cell, and after a restart knows what it has asked', async () => {
		await workflow.change({ parameters: without('1000000X2') });
		await workflow.change({ parameters: without('1000000X3') });
		expect(watched(simulator)).toEqual(COMPANIES);
		await workflow.start();
		expect(watched(simulator)).toEqual(COMPANIES);
		await workflow.change();
		expect(watched(simulator)).toEqual([ONE]);
	});

	it('is not asked about again while it stays, in whatever row, also after a publish that takes nobody out', async () => {
		const listOf = (...rows: string[]) =>
			watching([], {
				companyNumbers: ['Company no.\tClient', ...rows].join('\n'),
				options: { unreadableRows: 'leaveOut' },
			});
		const stays = 'HRB 12345\tMüller GmbH';
		const [one, two, three] = COMPANIES.map((company) => `${company}\tOf ${company}`);
		await workflow.change({ parameters: listOf(one, two, three, stays) });
		await workflow.change();
		expect(watched(simulator)).toEqual(COMPANIES.slice(0, 3));
		await workflow.change({ parameters: listOf(two, stays, three) });
		expect(watched(simulator)).toEqual(COMPANIES.slice(1, 3));
		await workflow.change({ parameters: listOf(stays, one, two, three) });
		await workflow.change({ parameters: listOf(stays, one) });
		expect(watched(simulator)).toEqual([ONE]);
		// Another one may be a cell that went wrong.
		await workflow.change({ parameters: listOf(two, stays, '1000000X1\tOf 10000001') });
		expect(watched(simulator)).toEqual([ONE, TWO]);
	});

	it.each(['sole trader', 'n/a', '-', ''])('%j is none', async (cell) => {
		await workflow.change({ parameters: without(cell) });
		expect(watched(simulator)).toEqual([ONE]);
	});
});

describe('two triggers of one workflow, of which n8n holds copies of different age', () => {
	const OTHERS = companyNumbers(9).slice(5);
	let second: SavedWorkflow;

	beforeEach(async () => {
		await workflow.publish();
		const { workflowId } = workflow.setup;
		const node = { id: 'node-2', name: 'Second', webhookId: 'second' };
		second = watch(simulator, OTHERS, { workflowId, node });
		// Of one database.
		Object.defineProperty(second, 'staticData', {
			get: () => workflow.staticData,
			set: (staticData: IDataObject) => (workflow.staticData = staticData),
		});
		await second.publish();
	});

	it('neither erases what the other has stored, at an emission, a change or an unpublish', async () => {
		const all = () => [...Object.keys(workflow.statuses()), ...Object.keys(second.statuses())];
		const everything = [...COMPANIES, ...OTHERS].sort();
		// The first one's copy is from before there was a second.
		pause(ONE);
		await workflow.tick();
		expect(all().sort()).toEqual(everything);
		await second.change({ parameters: watching(OTHERS.slice(1)) });
		pause(ONE);
		await workflow.tick(2 * HOUR);
		expect(second.statuses()[OTHERS[0]]).toBe('paused');
		await workflow.unpublish();
		expect(all().sort()).toEqual(everything);
		expect([workflow.state()?.status, second.state()?.status]).toEqual([
			'unpublished',
			'published',
		]);
	});

	it.each([
		['a publish', async () => undefined],
		[
			'a check',
			async () => {
				pause(ONE);
				await workflow.tick();
			},
		],
	])(
		'what a run that began before %s has saved over it is stored once more by the next check',
		async (_what, act) => {
			const { staticData } = workflow;
			await workflow.change({ parameters: watching(companyNumbers(5).concat('20000001')) });
			await act();
			workflow.staticData = structuredClone(staticData);
			await workflow.tick(2 * HOUR);
			expect(workflow.statuses()).toHaveProperty('20000001');
			const { stores } = workflow;
			simulator.clearRequests();
			await workflow.tick(3 * HOUR);
			expect([workflow.stores, counts(simulator)]).toEqual([stores, { GET: 1 }]);
		},
	);
});

it('what is written while n8n saves is saved by the next store: a kill after it loses nothing', async () => {
	// The list and the first company take 0.6 seconds, all of them 2.4.
	setTimes({ answer: 1500, storeBehind: 1 });
	simulator.latencyMs = 300;
	workflow.setup.parameters = watching(companyNumbers(60));
	await workflow.register();
	await workflow.idle();
	expect(Object.keys(workflow.statuses())).toHaveLength(60);
	expect(workflow.stores).toBeGreaterThan(3);
});
