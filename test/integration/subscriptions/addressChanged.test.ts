// Webhooks that deliver to another n8n than this one are left alone unless the user says what that is.
import type { Fault, Simulator } from '../../simulator';
import { active, counts, failureOf, ids, serviceForEachTest } from '../../support/atService';
import { warnings } from '../../support/logCapture';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';

const COMPANIES = companyNumbers(3);
const HERE = 'https://staging.example.com/webhook';
const THERE = 'https://n8n.example.com/webhook';
const ELSEWHERE = 'https://elsewhere.example.com/webhook';
const DOWN = { status: 503 };

const simulator = serviceForEachTest();
/** The database of production, copied to another address. */
let copy: SavedWorkflow;
let before: ReturnType<Simulator['webhooks']>;
let logged: () => string[];

beforeEach(async () => {
	copy = watch(simulator, COMPANIES);
	await copy.publish();
	before = simulator.webhooks();
	simulator.clearRequests();
	copy.setup.webhookBaseUrl = HERE;
	logged = warnings(copy);
	await copy.start();
});

const answered = (addressChanged: string) => watching(COMPANIES, { options: { addressChanged } });
const at = (address: string) => active(simulator).filter(({ url }) => url.startsWith(address));

/** Publishes with this answer. */
const publish = async (addressChanged: string) =>
	await copy.change({ parameters: answered(addressChanged) });

/** n8n begins at this address, and what was published is published with this answer. */
async function publishAt(webhookBaseUrl: string, addressChanged: string): Promise<void> {
	copy.setup.webhookBaseUrl = webhookBaseUrl;
	await copy.start();
	await publish(addressChanged);
}

it('a start writes nothing, tells once what to choose, and takes deliveries as before; publishing asks the same before any request', async () => {
	const question =
		/deliver to https:\/\/n8n\.example\.com\/webhook, and this n8n's address is https:\/\/staging\.example\.com\/webhook\..*'Address Changed'.*'Moved to This Address'.*'Copy: Make New Webhooks'/;
	expect(copy.told).toEqual([expect.stringMatching(question)]);
	await copy.tick();
	await copy.start();
	expect(copy.told).toHaveLength(1);
	expect(Object.values(copy.statuses())).toEqual(COMPANIES.map(() => 'watched'));
	expect(await failureOf(publish('ask'))).toMatch(question);
	expect(simulator.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	expect(simulator.webhooks()).toEqual(before);
});

it('where n8n was started without its public address, it says to set that, and all goes on once it is set', async () => {
	copy.setup.webhookBaseUrl = 'http://localhost:5678/webhook';
	await copy.start();
	expect(copy.told.at(-1)).toMatch(
		/webhook address is http:\/\/localhost:5678\/webhook\/.*\. Set .*N8N_WEBHOOK_URL/,
	);
	expect(copy.told.at(-1)).not.toContain('Address Changed');
	const { length } = copy.told;
	copy.setup.webhookBaseUrl = THERE;
	await copy.start();
	expect(copy.told).toHaveLength(length);
	expect(simulator.webhooks()).toEqual(before);
});

it('unpublishing writes nothing whatever is set, and logs those that may be active', async () => {
	const [one, two, three] = COMPANIES;
	copy.setup.webhookBaseUrl = THERE;
	await copy.start();
	await copy.change({ parameters: watching([one, two]) });
	simulator.clearRequests();
	Object.assign(copy.setup, { webhookBaseUrl: HERE, parameters: answered('move') });
	await copy.unpublish();
	expect(counts(simulator)).toEqual({ GET: 1 });
	const line = logged().at(-1) ?? '';
	expect(line).toMatch(/They deliver to https:\/\/n8n\.example\.com\/.*publish here: that asks/);
	for (const { id, company_number } of before) {
		expect(line.includes(`${id} (${company_number})`)).toBe(company_number !== three);
	}
});

it('"Moved" redirects the same webhooks, and unpublishing pauses them', async () => {
	await publish('move');
	expect(simulator.webhooks()).toEqual(
		before.map((one) => ({ ...one, url: one.url.replace(THERE, HERE) })),
	);
	await copy.unpublish();
	expect(active(simulator)).toEqual([]);
});

it('"Copy" makes new webhooks, and leaves the others alone from then on', async () => {
	await publish('copy');
	expect(at(HERE)).toHaveLength(3);
	expect(counts(simulator)).toEqual({ GET: 1, POST: 3 });

	copy.setup.parameters = answered('ask');
	await copy.start();
	await copy.unpublish();
	expect(at(HERE)).toEqual([]);
	await copy.publish();
	await copy.tick();
	expect(at(HERE)).toHaveLength(3);
	expect(simulator.webhooks()).toHaveLength(6);
	expect(simulator.webhooks().slice(0, 3)).toEqual(before);
	const known = new Set(before.map(({ id }) => id));
	const touched = simulator.requests.filter(({ path }) => known.has(path.split('/').at(-1) ?? ''));
	expect(touched).toEqual([]);
});

describe('an answer that was carried out is not used for another change of address', () => {
	beforeEach(async () => {
		await publish('move');
		before = simulator.webhooks();
	});

	it('publishing there asks again, until it is set anew', async () => {
		expect(await failureOf(publishAt(ELSEWHERE, 'move'))).toMatch(
			/https:\/\/elsewhere\.example\.com\/webhook\. .*still set from an earlier publish.*'Ask'/,
		);
		expect(copy.told.at(-1)).toMatch(/elsewhere\..*still set from an earlier publish.*'Ask'/);
		expect(simulator.webhooks()).toEqual(before);
		expect(await failureOf(publish('ask'))).toMatch(/Set 'Options' > 'Address Changed' to/);
		await publish('move');
		expect(at(ELSEWHERE)).toHaveLength(3);
	});

	it('the same answer is a new one once the option was set to something else', async () => {
		await publish('ask');
		await publishAt(ELSEWHERE, 'move');
		expect(at(ELSEWHERE)).toHaveLength(3);
	});

	it('another answer is a new one', async () => {
		await publishAt(ELSEWHERE, 'copy');
		expect(simulator.webhooks().slice(0, 3)).toEqual(before);
		expect(simulator.webhooks()).toHaveLength(6);
	});
});

describe('"Moved" that was set by mistake', () => {
	it.each<[string, Fault]>([
		['the service is down', { action: DOWN }],
		['every update is refused', { method: 'PATCH', action: { status: 403 } }],
	])('while %s, can be corrected to "Copy"', async (_when, fault) => {
		simulator.fault({ times: Infinity, ...fault });
		expect(await failureOf(publish('move'))).toMatch(/^Nothing is watched: /);
		simulator.clearFaults();
		await publish('copy');
		expect(simulator.webhooks().slice(0, 3)).toEqual(before);
		expect(at(HERE)).toHaveLength(3);
	});

	it('or while the service is down is carried out by the next publish', async () => {
		simulator.fault({ times: Infinity, action: DOWN });
		expect(await failureOf(publish('move'))).toMatch(/^Nothing is watched: /);
		simulator.clearFaults();
		await copy.publish();
		expect(ids(simulator)).toEqual(before.map(({ id }) => id));
		expect(at(HERE)).toHaveLength(3);
	});
});

it('a trigger whose path alone has changed is not asked about, and paused when it is unpublished', async () => {
	Object.assign(copy.setup, { webhookBaseUrl: THERE, node: { webhookId: 'another' } });
	await copy.start();
	await copy.unpublish();
	expect(active(simulator)).toEqual([]);
	await copy.publish();
	expect(ids(simulator)).toEqual(before.map(({ id }) => id));
	expect(simulator.webhooks().every(({ url }) => url.includes('/webhook/another/'))).toBe(true);
});
