// Webhooks that deliver to another n8n than this one are left alone unless the user says what that is.
import type { INodeParameters } from 'n8n-workflow';

import { startSimulator, type Simulator } from '../../simulator';
import { afterRestart } from '../../support/restart';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { settled } from '../../support/settled';
import { warnings } from '../../support/warnings';

const COMPANIES = companyNumbers(3);
const HERE = 'https://staging.example.com/webhook';
const THERE = 'https://n8n.example.com/webhook';

let simulator: Simulator;
/** The database of production, copied to another address. */
let copy: SavedWorkflow;
let before: ReturnType<Simulator['webhooks']>;

beforeEach(async () => {
	simulator = await startSimulator();
	copy = watch(simulator, COMPANIES);
	await copy.publish();
	before = simulator.webhooks();
	simulator.clearRequests();
	copy.setup.nodeType = await afterRestart();
	copy.setup.webhookBaseUrl = HERE;
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

const answered = (addressChanged: string, more: INodeParameters = {}) =>
	watching(COMPANIES, { options: { addressChanged, ...more } });
const here = () => simulator.webhooks().filter(({ url }) => url.startsWith(HERE));

it('publishing asks, naming both addresses and the option, before any request', async () => {
	await expect(copy.publish()).rejects.toThrow(
		/deliver to https:\/\/n8n\.example\.com\/webhook, and this n8n's address is https:\/\/staging\.example\.com\/webhook\..*'Address Changed'.*'Moved to This Address'.*'Copy: Make New Webhooks'/,
	);
	await settled(copy.load());
	expect(simulator.requests).toEqual([]);
	expect(simulator.webhooks()).toEqual(before);
});

it('unpublishing leaves them, and logs it', async () => {
	const logged = warnings(copy);
	await copy.unpublish();
	expect(simulator.requests).toEqual([]);
	expect(logged()).toEqual([
		expect.stringMatching(/They deliver to https:\/\/n8n\.example\.com\/.*'Address Changed'/),
	]);
	for (const { id, company_number } of before)
		expect(logged()[0]).toContain(`${id} (${company_number})`);
});

it('unpublishing names only those that may be active, and nothing where none is', async () => {
	const logged = warnings(copy);
	const [one, two, three] = COMPANIES;
	copy.setup.webhookBaseUrl = THERE;
	await copy.change({ parameters: watching([one, two]) });
	copy.setup.webhookBaseUrl = HERE;
	await copy.unpublish();
	expect(logged()).toHaveLength(1);
	expect(logged()[0]).toContain(`(${two})`);
	expect(logged()[0]).not.toContain(`(${three})`);

	copy.setup.webhookBaseUrl = THERE;
	await copy.unpublish();
	expect(simulator.webhooks().some(({ is_active }) => is_active)).toBe(false);
	copy.setup.webhookBaseUrl = HERE;
	await copy.unpublish();
	expect(logged()).toHaveLength(1);
});

it('unpublishing pauses them where "n8n Has Moved" is set', async () => {
	copy.setup.parameters = answered('move');
	await copy.unpublish();
	expect(simulator.webhooks().some(({ is_active }) => is_active)).toBe(false);
});

it('unpublishing leaves them where the option cannot be read', async () => {
	copy.setup.parameters = answered('={{ nothing( }}');
	await copy.unpublish();
	expect(simulator.webhooks()).toEqual(before);
});

it('"n8n Has Moved" redirects the same webhooks, and unpublishing pauses them', async () => {
	const logged = warnings(copy);
	copy.setup.parameters = answered('move');
	await copy.publish();
	expect(simulator.webhooks().map(({ id }) => id)).toEqual(before.map(({ id }) => id));
	expect(here()).toHaveLength(3);
	expect(logged()).toEqual([
		`Company Registry Trigger: the webhooks of "Company Registry Trigger" delivered to ${THERE}. By 'Address Changed' they deliver to ${HERE} from now on.`,
	]);
	await copy.unpublish();
	expect(simulator.webhooks().some(({ is_active }) => is_active)).toBe(false);
});

describe('"Copy: Make New Webhooks"', () => {
	let logged: () => string[];

	beforeEach(async () => {
		logged = warnings(copy);
		copy.setup.parameters = answered('copy');
		await copy.publish();
	});

	it('is logged once, with both addresses', () => {
		expect(logged()).toEqual([
			`Company Registry Trigger: the webhooks of "Company Registry Trigger" delivered to ${THERE}. By 'Address Changed' they are left alone, and new ones deliver to ${HERE}.`,
		]);
	});

	it('makes new webhooks and leaves the others alone', () => {
		expect(here()).toHaveLength(3);
		expect(simulator.webhooks().slice(0, 3)).toEqual(before);
		expect(simulator.requests.map(({ method }) => method).sort()).toEqual([
			'GET',
			'POST',
			'POST',
			'POST',
		]);
	});

	it('leaves them alone from then on too', async () => {
		simulator.clearRequests();
		copy.setup.nodeType = await afterRestart();
		copy.setup.parameters = answered('ask');
		await copy.unpublish();
		await copy.publish();
		expect(here().every(({ is_active }) => is_active)).toBe(true);
		expect(simulator.webhooks()).toHaveLength(6);
		expect(simulator.webhooks().slice(0, 3)).toEqual(before);
		const ids = new Set(before.map(({ id }) => id));
		expect(simulator.requests.filter(({ path }) => ids.has(path.split('/').at(-1) ?? ''))).toEqual(
			[],
		);
	});
});

describe('an answer that was carried out is not used for another change of address', () => {
	const ELSEWHERE = 'https://elsewhere.example.com/webhook';

	beforeEach(async () => {
		copy.setup.parameters = answered('move');
		await copy.publish();
		before = simulator.webhooks();
		copy.setup.nodeType = await afterRestart();
		copy.setup.webhookBaseUrl = ELSEWHERE;
	});

	it('publishing there asks again, until it is set anew', async () => {
		await expect(copy.publish()).rejects.toThrow(
			/https:\/\/elsewhere\.example\.com\/webhook\. .*still set from an earlier change.*'Ask'/,
		);
		await settled(copy.load());
		expect(simulator.webhooks()).toEqual(before);

		copy.setup.parameters = answered('ask');
		await expect(copy.publish()).rejects.toThrow(/Set 'Options' > 'Address Changed' to/);
		copy.setup.parameters = answered('move');
		await copy.publish();
		expect(simulator.webhooks().every(({ url }) => url.startsWith(ELSEWHERE))).toBe(true);
	});

	it('the same answer is a new one once the option was set to something else meanwhile', async () => {
		copy.setup.webhookBaseUrl = HERE;
		await copy.change({ parameters: answered('ask') });
		copy.setup.webhookBaseUrl = ELSEWHERE;
		copy.setup.parameters = answered('move');
		await copy.publish();
		expect(simulator.webhooks().every(({ url }) => url.startsWith(ELSEWHERE))).toBe(true);
	});

	it('another answer is a new one', async () => {
		copy.setup.parameters = answered('copy');
		await copy.publish();
		expect(simulator.webhooks().slice(0, 3)).toEqual(before);
		expect(simulator.webhooks()).toHaveLength(6);
	});

	it('unpublishing there leaves the webhooks to the other n8n', async () => {
		const logged = warnings(copy);
		await copy.unpublish();
		expect(simulator.webhooks()).toEqual(before);
		// The option already says that n8n has moved, so setting it is no advice.
		expect(logged()).toEqual([
			expect.stringMatching(/could not be paused and stay active.*publish here: that asks/),
		]);
	});

	it('and nothing is asked where the address stays', async () => {
		copy.setup.webhookBaseUrl = HERE;
		await copy.unpublish();
		await copy.publish();
		copy.setup.parameters = answered('ask');
		await copy.unpublish();
		await copy.publish();
		expect(here().filter(({ is_active }) => is_active)).toHaveLength(3);
	});
});

it('a trigger whose path alone has changed is not asked about', async () => {
	copy.setup.webhookBaseUrl = 'https://n8n.example.com/webhook';
	copy.setup.node = { webhookId: 'another' };
	await copy.publish();
	expect(simulator.webhooks().map(({ id }) => id)).toEqual(before.map(({ id }) => id));
	expect(simulator.webhooks().every(({ url }) => url.includes('/webhook/another/'))).toBe(true);
});
