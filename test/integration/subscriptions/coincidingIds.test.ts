// An id proves nothing by itself: what the service shows of a webhook says whose it is.
import { active, companyIn, methods, serviceForEachTest, watched } from '../../support/atService';
import { n8nForEachTest } from '../../support/liveN8n';
import { companyNumbers } from '../../support/savedWorkflow';
import { startSimulator, type Simulator, type StoredWebhook } from '../../simulator';

jest.setTimeout(60_000);

const COMPANIES = companyNumbers(5);
const ANOTHER = { credentials: { companyRegistryApi: { id: 'another', name: 'Another' } } };

const start = n8nForEachTest();
const simulator = serviceForEachTest();

describe('ids that coincide at two accounts', () => {
	let other: Simulator;

	beforeEach(async () => {
		other = await startSimulator();
	});
	afterEach(async () => await other.close());

	/** A webhook of somebody else at the other account, with this id. */
	function stranger({ id }: StoredWebhook, company_number: string) {
		const url = 'https://elsewhere.example.com/hook';
		const events = ['psc.added'];
		const one = { id, company_number, url, events, is_active: true, secret: 'of somebody else' };
		other.restoreWebhook(one);
		return one;
	}

	it.each([
		['all show other companies', []],
		['one shows the same company', [1]],
	])(
		'where %s, none that shows another company is written to, and it is told nowhere else',
		async (_what, same) => {
			const n8n = await start(simulator, COMPANIES);
			expect(await n8n.publish()).toBe('');
			const strangers = simulator
				.webhooks()
				.map((one, index) =>
					stranger(one, same.includes(index) ? one.company_number : `9999000${index}`),
				);
			n8n.editCredential({ baseUrl: other.url, apiKey: other.apiKey });
			expect(await n8n.publish({ node: ANOTHER })).toBe('');
			await n8n.untilQuiet();
			const touched = new Set(other.requests.map(({ path }) => path.split('/').at(-1)));
			for (const one of strangers.filter(({ company_number }) => /^9999/.test(company_number))) {
				expect(touched.has(one.id)).toBe(false);
				expect(other.webhooks()).toContainEqual(expect.objectContaining(one));
			}
			const own = active(other).filter(({ url }) => url.startsWith(n8n.url));
			expect(own.map(({ company_number }) => company_number).sort()).toEqual(COMPANIES);
			expect(n8n.told).toEqual([]);
		},
	);

	it('is unpublished without writing to somebody else', async () => {
		const n8n = await start(simulator, COMPANIES);
		expect(await n8n.publish()).toBe('');
		for (const [index, one] of simulator.webhooks().entries()) stranger(one, `9999000${index}`);
		const before = other.webhooks();
		await n8n.boot();
		n8n.editCredential({ baseUrl: other.url, apiKey: other.apiKey });
		await n8n.unpublish();
		await n8n.untilQuiet();
		expect(other.webhooks()).toEqual(before);
	});
});

it('an update that is answered with another company is a failure of that company', async () => {
	const n8n = await start(simulator, COMPANIES);
	expect(await n8n.publish()).toBe('');
	const [{ id, company_number }] = simulator.webhooks();
	const data = { id, company_number: '99999999', events: ['psc.added'], is_active: true };
	const path = new RegExp(id);
	simulator.fault({
		method: 'PATCH',
		path,
		times: Infinity,
		action: { status: 200, body: { data } },
	});
	expect(await n8n.watch(COMPANIES, { events: ['psc.added'] })).toBe('');
	const [told] = await n8n.untilTold();
	expect(told).toContain(company_number);
	expect(told).toContain('99999999');
	const updates = simulator.requests.filter((one) => one.method === 'PATCH' && path.test(one.path));
	expect(updates).toHaveLength(1);
});

describe('a create that is answered with a webhook of another workflow, after a restart', () => {
	it('leaves that alone and fails, although the answer holds a secret', async () => {
		const one = await start(simulator, COMPANIES, { firstProcess: 3 });
		expect(await one.publish()).toBe('');
		const before = simulator.webhooks();
		const [{ id, company_number }] = before;
		const n8n = await start(simulator, [company_number]);
		const events = ['filing.new'];
		const data = { id, company_number, events, is_active: true, secret: 'whsec_another' };
		simulator.fault({ method: 'POST', times: Infinity, action: { status: 201, body: { data } } });
		expect(await n8n.publish()).toMatch(new RegExp(`^Nothing is watched: .*${id}`));
		await n8n.untilQuiet();
		expect(simulator.webhooks()).toEqual(before);
		expect(JSON.stringify(n8n.staticData)).not.toContain('whsec_another');
		expect(await one.deliverAll(COMPANIES)).toEqual({ 200: 5 });
	});

	it('is no longer possible to miss: the account is always listed first', async () => {
		const n8n = await start(simulator, COMPANIES);
		expect(await n8n.publish()).toBe('');
		expect(methods(simulator)).toEqual(['GET', ...COMPANIES.map(() => 'POST')]);
	});
});

it('a web page at the Base URL is called that, and no webhook is said to be left over', async () => {
	const raw = '<!doctype html><title>Hello</title>';
	simulator.fault({ times: Infinity, action: { raw } });
	const n8n = await start(simulator, COMPANIES);
	const message = await n8n.publish();
	expect(message).toMatch(/^Nothing is watched: .*web page/);
	expect(message).not.toMatch(/may hold|No usable answer came/);
	expect(methods(simulator)).not.toContain('POST');
});

describe('answers that show something else than was asked', () => {
	it('a pause that is answered with an active webhook is none', async () => {
		const n8n = await start(simulator, COMPANIES);
		expect(await n8n.publish()).toBe('');
		const [{ id, company_number, events }] = simulator.webhooks();
		const data = { id, company_number, events, is_active: true };
		const path = new RegExp(id);
		simulator.fault({
			method: 'PATCH',
			path,
			times: Infinity,
			action: { status: 200, body: { data } },
		});
		await n8n.unpublish();
		await n8n.untilQuiet();
		expect(n8n.log.join('\n')).toMatch(
			new RegExp(`${id}.*${company_number}|${company_number}.*${id}`),
		);
		simulator.clearFaults();
		// It is not taken for paused from then on.
		expect(await n8n.publish()).toBe('');
		await n8n.unpublish();
		await n8n.untilQuiet();
		expect(active(simulator)).toEqual([]);
	});

	it('names of events that the service does not document are compared nowhere', async () => {
		const parameters = {
			events: ['filing.new'],
			options: { additionalEvents: 'Status.Changed, a.*' },
		};
		const n8n = await start(simulator, COMPANIES);
		expect(await n8n.watch(COMPANIES, parameters)).toBe('');
		const shown = simulator.webhooks().map(({ id, company_number, is_active }) => ({
			id,
			company_number,
			is_active,
			events: ['status_changed', 'filing.new'],
		}));
		simulator.fault({
			method: 'GET',
			times: Infinity,
			action: { status: 200, body: { data: shown } },
		});
		simulator.clearRequests();
		await n8n.boot();
		expect(await n8n.publishAgain()).toBe('');
		await n8n.untilQuiet();
		expect(methods(simulator)).not.toContain('PATCH');
		expect(methods(simulator)).not.toContain('POST');
		expect(watched(simulator)).toEqual(COMPANIES);
	});

	it('replacements of webhooks that have vanished are asked for one by one until an answer can be used', async () => {
		const many = companyNumbers(40);
		const n8n = await start(simulator, many);
		expect(await n8n.publish()).toBe('');
		const kept = simulator.webhooks()[0];
		for (const { id } of simulator.webhooks().slice(1)) simulator.forgetWebhook(id);
		simulator.fault({
			method: 'POST',
			times: Infinity,
			action: { status: 201, body: { made: true } },
		});
		simulator.clearRequests();
		expect(await n8n.publishAgain()).toBe('');
		await n8n.untilTold();
		expect(methods(simulator).filter((method) => method === 'POST').length).toBeLessThanOrEqual(3);
		expect(await n8n.deliver(kept.company_number)).toBe(200);
		const made = simulator.requests.filter(({ method }) => method === 'POST');
		expect(new Set(made.map(({ body }) => companyIn(body))).size).toBe(made.length);
	});
});
