// A trigger whose credential is replaced: by another key of the account, or by another account.
import type { FaultAction } from '../../simulator';
import {
	active,
	counts,
	failureOf,
	ids,
	methods,
	PAUSES,
	received,
	serviceForEachTest,
	watched,
} from '../../support/atService';
import { warnings } from '../../support/logCapture';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';

const COMPANIES = companyNumbers(12);
const HOUR = 3_600_000;
const LATER = { status: 429, headers: { 'Retry-After': '1' } };

const simulator = serviceForEachTest();
const other = serviceForEachTest();
let workflow: SavedWorkflow;
let logged: () => string[];

beforeEach(async () => {
	workflow = watch(simulator, COMPANIES);
	await workflow.publish();
	simulator.clearRequests();
	logged = warnings(workflow);
});

const withKey = (apiKey: string, baseUrl = simulator.url) => ({
	credentials: { companyRegistryApi: { baseUrl, apiKey } },
});
/** Another account, of the same service. */
const another = () => withKey(simulator.addAccount().apiKey);

describe('a rotated key, as a new credential of the same account', () => {
	const rotated = () => withKey(simulator.addApiKey());

	it.each([
		['in the same process', false],
		['after a restart', true],
	])('takes over the same webhooks with their secrets, %s', async (_when, restarts) => {
		const before = simulator.webhooks();
		if (restarts) await workflow.start();
		simulator.clearRequests();
		await workflow.change(rotated());
		expect(simulator.webhooks()).toEqual(before);
		expect(methods(simulator)).toEqual(['GET']);
		await workflow.unpublish();
		expect([active(simulator), logged()]).toEqual([[], []]);
	});

	it('is unpublished after a restart with the new key, though one has vanished', async () => {
		simulator.forgetWebhook(simulator.webhooks()[0].id);
		await workflow.restart();
		Object.assign(workflow.setup, rotated());
		await workflow.unpublish();
		expect([active(simulator), logged()]).toEqual([[], []]);
	});
});

describe('a new key, where the list shows none of the known webhooks', () => {
	const unlisted = serviceForEachTest({ listMaximum: 0 });

	beforeEach(async () => {
		workflow = watch(unlisted, companyNumbers(5));
		await workflow.publish();
		await workflow.unpublish();
		Object.assign(workflow.setup, withKey(unlisted.addApiKey(), unlisted.url));
		unlisted.clearRequests();
	});

	it('an update that changes nothing is asked before anything is made, and answered: the same account', async () => {
		await workflow.publish();
		expect(unlisted.requests[1]).toMatchObject({
			method: 'PATCH',
			body: { events: ['filing.new'] },
		});
		expect(unlisted.webhooks()).toHaveLength(5);
		expect(active(unlisted)).toHaveLength(5);
	});

	it('also where one of them was removed at the service and replaced', async () => {
		await workflow.publish();
		unlisted.forgetWebhook(unlisted.webhooks()[0].id);
		await workflow.tick();
		await workflow.change(withKey(unlisted.addApiKey(), unlisted.url));
		expect(unlisted.webhooks()).toHaveLength(5);
	});

	it.each([403, 404, 410])(
		'one that is refused with %d says that it is another',
		async (status) => {
			unlisted.fault({ method: 'PATCH', action: { status } });
			await workflow.publish();
			expect(methods(unlisted).slice(0, 3)).toEqual(['GET', 'PATCH', 'POST']);
			expect(counts(unlisted)).toEqual({ GET: 1, PATCH: 1, POST: 5 });
		},
	);

	it.each<[string, FaultAction]>([
		['422', { status: 422 }],
		['no answer', 'drop'],
	])('where it is answered with %s, publishing stops', async (_what, action) => {
		unlisted.fault({ method: 'PATCH', times: Infinity, action });
		expect(await failureOf(workflow.publish())).toMatch(/Publish again/);
		expect(counts(unlisted).POST).toBeUndefined();
	});
});

describe("another account's key", () => {
	it.each([
		['of the same service', () => another()],
		['of another service', () => withKey(other.apiKey, other.url)],
	])(
		'%s leaves nothing active at the account before, and switched back to, that is used again',
		async (_where, change) => {
			const before = simulator.webhooks();
			const own = workflow.setup.credentials;
			const all = () => [...simulator.webhooks(), ...other.webhooks()];
			// However busy it is.
			simulator.fault({ ...PAUSES, times: 20, action: { status: 503 } });
			await workflow.change(change());
			expect(all().map(({ is_active }) => is_active)).toEqual(
				[...COMPANIES, ...COMPANIES].map((_, index) => index >= 12),
			);
			await workflow.change({ credentials: own });
			expect(all().slice(0, 12)).toEqual(before);
			expect(all()).toHaveLength(24);
			expect(all().filter(({ is_active }) => is_active)).toEqual(before);
		},
	);

	it('changes no webhook that it does not list, names and forgets none, and switching back finds all', async () => {
		const before = simulator.webhooks();
		const known = new Set(ids(simulator));
		const own = workflow.setup.credentials;
		await workflow.restart();
		// The credential itself is edited: n8n unpublishes with the new key.
		Object.assign(workflow.setup, another());
		await workflow.change();
		const asked = simulator.requests.filter(({ path }) => known.has(path.split('/').at(-1) ?? ''));
		// Whose they are is asked of one, with the events that it has.
		expect(asked.map(({ body }) => body)).toEqual([{ events: ['filing.new'] }]);
		expect(simulator.webhooks().slice(0, 12)).toEqual(before);
		expect(active(simulator)).toHaveLength(24);
		const line = logged().find((text) => text.includes('They belong to another account')) ?? '';
		for (const { id } of before) expect(line).toContain(`${id} (`);

		await workflow.restart();
		workflow.setup.credentials = own;
		simulator.clearRequests();
		await workflow.publish();
		expect(methods(simulator)).not.toContain('POST');
		expect(simulator.webhooks().slice(0, 12)).toEqual(before);
	});

	it('that a start finds: it says once that those of the account before stay active', async () => {
		Object.assign(workflow.setup, another());
		await workflow.start();
		for (const hours of [1, 2]) await workflow.tick(hours * HOUR);
		expect(active(simulator)).toHaveLength(24);
		expect(workflow.told).toEqual([expect.stringContaining('They belong to another account')]);
	});

	it('and then a third one, while nothing can be paused: no secret of an active webhook is forgotten', async () => {
		simulator.fault({ ...PAUSES, times: Infinity, action: { status: 401 } });
		for (const setup of [another(), another()]) await workflow.change(setup);
		expect(active(simulator)).toHaveLength(36);
		const stored = JSON.stringify(workflow.staticData);
		for (const { secret } of active(simulator)) expect(stored).toContain(secret);
	});

	describe('where ids coincide', () => {
		/** Somebody else's webhooks at the other account, with the ids of ours. */
		function strangers(companyOf: (company: string, index: number) => string) {
			const url = 'https://elsewhere.example.com/';
			const foreign = { url, events: ['psc.added'], is_active: true, secret: 'of somebody else' };
			const all = simulator.webhooks().map(({ id, company_number }, index) => ({
				...foreign,
				id,
				company_number: companyOf(company_number, index),
			}));
			for (const one of all) other.restoreWebhook(one);
			return all;
		}
		const anotherCompany = (_company: string, index: number) => `999900${10 + index}`;

		it.each<[string, Parameters<typeof strangers>[0]]>([
			['all show other companies', anotherCompany],
			[
				'one shows the same company',
				(own, index) => (index === 1 ? own : anotherCompany('', index)),
			],
		])('and %s, none that shows another one is written to', async (_what, companyOf) => {
			const all = strangers(companyOf);
			await workflow.change(withKey(other.apiKey, other.url));
			const touched = new Set(other.requests.map(({ path }) => path.split('/').at(-1)));
			for (const one of all.filter(({ company_number }) => !COMPANIES.includes(company_number))) {
				expect(touched.has(one.id)).toBe(false);
				expect(other.webhooks()).toContainEqual(expect.objectContaining(one));
			}
			const own = active(other).filter(({ url }) => url.startsWith('https://n8n.example.com/'));
			expect(own.map(({ company_number }) => company_number).sort()).toEqual(COMPANIES);
		});

		it('nothing of somebody else is paused by an unpublish after a restart', async () => {
			strangers(anotherCompany);
			const before = other.webhooks();
			await workflow.restart();
			Object.assign(workflow.setup, withKey(other.apiKey, other.url));
			await workflow.unpublish();
			expect(other.webhooks()).toEqual(before);
		});
	});

	it('and is unpublished before the account before is paused has both paused', async () => {
		simulator.fault({ ...PAUSES, times: 1, action: LATER });
		await workflow.takeDown();
		Object.assign(workflow.setup, another());
		const publishing = workflow.attempt();
		// One is asked whose they are.
		await received(simulator, 1 + 1, 'PATCH');
		await workflow.unpublish();
		await publishing;
		expect([active(simulator), logged()]).toEqual([[], []]);
	});
});

describe('a change of the credential that cannot be carried out leaves the account before as it is, and says why', () => {
	it.each<[string, () => Parameters<SavedWorkflow['change']>[0], RegExp]>([
		['the service refuses the new key', () => withKey('mistyped'), /did not accept the API key/],
		[
			'the new service is down',
			() => withKey('key', 'http://127.0.0.1:9'),
			/Nothing answers at the Base URL/,
		],
		[
			'the new credential cannot be used',
			() => withKey('key', ''),
			/Nothing was changed: the 12 companies of before stay watched\. .*is not an https address/,
		],
	])('where %s', async (_where, setup, words) => {
		const before = simulator.webhooks();
		await workflow.change(setup());
		expect(simulator.webhooks()).toEqual(before);
		expect(logged().at(-1)).toMatch(words);
	});

	it('until the credential is mended: the next check does the rest, and nothing more is told', async () => {
		const setup = withKey(simulator.apiKey, '');
		await workflow.change({ ...setup, parameters: watching(companyNumbers(13)) });
		setup.credentials.companyRegistryApi.baseUrl = simulator.url;
		for (const hours of [1, 26, 51]) await workflow.tick(hours * HOUR);
		expect(watched(simulator)).toEqual(companyNumbers(13));
		expect(workflow.told).toEqual([expect.stringMatching(/^Nothing was changed/)]);
	});

	it('but for the companies that the new account has taken', async () => {
		other.fault({ method: 'POST', nth: 3, times: Infinity, action: { status: 402 } });
		await workflow.change(withKey(other.apiKey, other.url));
		expect(logged()).toEqual([
			expect.stringMatching(
				/12 of 12 companies are watched, 10 of them as they were.*plan does not/,
			),
		]);
		expect(active(other)).toHaveLength(2);
		expect([...watched(simulator), ...watched(other)].sort()).toEqual(COMPANIES);

		// The next publish does the rest, and leaves the account before alone from then on.
		other.clearFaults();
		await workflow.publish();
		expect([watched(other), active(simulator)]).toEqual([COMPANIES, []]);
		simulator.clearRequests();
		await workflow.unpublish();
		expect([active(other), methods(simulator)]).toEqual([[], []]);
	});
});

it('of two processes of one n8n, the one that lost the lead goes by what the other has stored since', async () => {
	const first = workflow.setup.nodeType;
	// The other one becomes the leader and takes two companies out.
	await workflow.restart();
	await workflow.change({ parameters: watching(companyNumbers(10)) });

	simulator.clearRequests();
	workflow.setup.nodeType = first;
	await workflow.change({ parameters: watching(companyNumbers(11)) });
	// One is resumed. The others are kept: nothing is created, and nothing is given an old state.
	expect(methods(simulator)).toEqual(['GET', 'PATCH']);
	expect(active(simulator)).toHaveLength(11);
});
