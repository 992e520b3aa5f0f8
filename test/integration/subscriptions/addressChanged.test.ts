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
	await copy.restart();
	copy.setup.webhookBaseUrl = HERE;
	logged = warnings(copy);
});

const answered = (addressChanged: string) => watching(COMPANIES, { options: { addressChanged } });
const at = (address: string) => active(simulator).filter(({ url }) => url.startsWith(address));

/** Publishes with this answer, at this address. */
async function publish(addressChanged: string, webhookBaseUrl = HERE): Promise<void> {
	Object.assign(copy.setup, { parameters: answered(addressChanged), webhookBaseUrl });
	await copy.publish();
}

it('publishing asks, naming both addresses and the option, before any request', async () => {
	expect(await failureOf(copy.publish())).toMatch(
		/deliver to https:\/\/n8n\.example\.com\/webhook, and this n8n's address is https:\/\/staging\.example\.com\/webhook\..*'Address Changed'.*'Moved to This Address'.*'Copy: Make New Webhooks'/,
	);
	expect(simulator.requests).toEqual([]);
});

it('unpublishing leaves them whatever is set, and logs those that may be active', async () => {
	const [one, two, three] = COMPANIES;
	copy.setup.webhookBaseUrl = THERE;
	await copy.change({ parameters: watching([one, two]) });
	simulator.clearRequests();
	Object.assign(copy.setup, { webhookBaseUrl: HERE, parameters: answered('move') });
	await copy.unpublish();
	expect(simulator.requests).toEqual([]);
	expect(logged()).toEqual([
		expect.stringMatching(
			/stay active: .* They deliver to https:\/\/n8n\.example\.com\/.*publish here: that asks about the address/,
		),
	]);
	for (const { id, company_number } of before) {
		expect(logged()[0].includes(`${id} (${company_number})`)).toBe(company_number !== three);
	}
});

it('"Moved" redirects the same webhooks, and unpublishing pauses them', async () => {
	await publish('move');
	expect(simulator.webhooks()).toEqual(
		before.map((one) => ({ ...one, url: one.url.replace(THERE, HERE) })),
	);
	expect(logged()).toEqual([
		`Company Registry Trigger "Company Registry Trigger": its webhooks delivered to ${THERE}. By 'Address Changed' they deliver to ${HERE} from now on.`,
	]);
	await copy.unpublish();
	expect(active(simulator)).toEqual([]);
});

it('"Copy" makes new webhooks, leaves the others alone from then on, and logs that once', async () => {
	await publish('copy');
	expect(at(HERE)).toHaveLength(3);
	expect(counts(simulator)).toEqual({ GET: 1, POST: 3 });

	await copy.restart();
	copy.setup.parameters = answered('ask');
	await copy.unpublish();
	expect(at(HERE)).toEqual([]);
	await copy.publish();
	expect(at(HERE)).toHaveLength(3);
	expect(simulator.webhooks()).toHaveLength(6);
	expect(simulator.webhooks().slice(0, 3)).toEqual(before);
	const known = new Set(before.map(({ id }) => id));
	const touched = simulator.requests.filter(({ path }) => known.has(path.split('/').at(-1) ?? ''));
	expect(touched).toEqual([]);
	expect(logged()).toEqual([
		`Company Registry Trigger "Company Registry Trigger": its webhooks delivered to ${THERE}. By 'Address Changed' they are left alone, and new ones deliver to ${HERE}.`,
	]);
});

describe('an answer that was carried out is not used for another change of address', () => {
	beforeEach(async () => {
		await publish('move');
		before = simulator.webhooks();
		await copy.restart();
	});

	it('publishing there asks again, until it is set anew', async () => {
		expect(await failureOf(publish('move', ELSEWHERE))).toMatch(
			/https:\/\/elsewhere\.example\.com\/webhook\. .*still set from an earlier change.*'Ask'/,
		);
		expect(simulator.webhooks()).toEqual(before);
		expect(await failureOf(publish('ask', ELSEWHERE))).toMatch(
			/Set 'Options' > 'Address Changed' to/,
		);
		await publish('move', ELSEWHERE);
		expect(at(ELSEWHERE)).toHaveLength(3);
	});

	it('the same answer is a new one once the option was set to something else, for which nothing is asked', async () => {
		await copy.change({ parameters: answered('ask') });
		await publish('move', ELSEWHERE);
		expect(at(ELSEWHERE)).toHaveLength(3);
	});

	it('another answer is a new one', async () => {
		await publish('copy', ELSEWHERE);
		expect(simulator.webhooks().slice(0, 3)).toEqual(before);
		expect(simulator.webhooks()).toHaveLength(6);
	});
});

describe('"Moved" that was set by mistake', () => {
	it.each<[string, Fault, boolean]>([
		['the service is down, until a restart', { action: DOWN }, true],
		['every update is refused', { method: 'PATCH', action: { status: 403 } }, false],
	])('while %s, can be corrected to "Copy"', async (_when, fault, restarts) => {
		simulator.fault({ times: Infinity, ...fault });
		expect(await failureOf(publish('move'))).toMatch(/^Nothing is watched: /);
		simulator.clearFaults();
		if (restarts) await copy.restart();
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
	copy.setup.webhookBaseUrl = THERE;
	copy.setup.node = { webhookId: 'another' };
	await copy.unpublish();
	expect(active(simulator)).toEqual([]);
	await copy.publish();
	expect(ids(simulator)).toEqual(before.map(({ id }) => id));
	expect(simulator.webhooks().every(({ url }) => url.includes('/webhook/another/'))).toBe(true);
});
