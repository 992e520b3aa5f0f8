// Pausing goes on for as long as it takes, with a client that the account has accepted.
import { setTimeout as sleep } from 'node:timers/promises';

import { waitFor } from '../../n8n-host/waitFor';
import type { FaultAction } from '../../simulator';
import { active, PAUSES, serviceForEachTest, watched } from '../../support/atService';
import { n8nForEachTest, type LiveN8n } from '../../support/liveN8n';
import { shortenWaits } from '../../support/loadedTriggers';
import { companyNumbers } from '../../support/savedWorkflow';

jest.setTimeout(60_000);

const COMPANIES = companyNumbers(30);

const start = n8nForEachTest();
const simulator = serviceForEachTest();
let n8n: LiveN8n;

beforeEach(async () => {
	n8n = await start(simulator, COMPANIES);
	expect(await n8n.publish()).toBe('');
});

const untilPaused = async () =>
	await waitFor('all to be paused', () => active(simulator).length === 0, { timeoutMs: 20_000 });

describe('an unpublish', () => {
	it.each<[string, FaultAction]>([
		['a service that is down', { status: 503 }],
		['a service that limits requests', { status: 429, headers: { 'Retry-After': '2' } }],
		['connections that break', 'drop'],
	])('while there is %s, pauses all once that is over', async (_what, action) => {
		simulator.fault({ ...PAUSES, times: Infinity, action });
		await n8n.unpublish();
		await sleep(1500);
		expect(active(simulator)).toHaveLength(30);
		simulator.clearFaults();
		await untilPaused();
		expect(n8n.told).toEqual([]);
	});

	it('with more than five failures in a row goes on with the others', async () => {
		const refused = active(simulator).slice(0, 12);
		for (const { id } of refused) {
			const path = new RegExp(id);
			simulator.fault({ ...PAUSES, path, times: Infinity, action: { status: 409 } });
		}
		await n8n.unpublish();
		await waitFor('the others to be paused', () => active(simulator).length === 12);
		await waitFor('the log', () => n8n.log.length > 0, { timeoutMs: 20_000 });
		const log = n8n.log.join('\n');
		for (const { id, company_number } of refused) {
			expect(log).toContain(id);
			expect(log).toContain(company_number);
		}
	});

	it('that the service never lets through logs which webhooks may stay active, when it gives up', async () => {
		shortenWaits({ patience: 1000 });
		simulator.fault({ ...PAUSES, times: Infinity, action: { status: 503 } });
		await n8n.unpublish();
		await waitFor('the log', () => n8n.log.length > 0, { timeoutMs: 20_000 });
		const log = n8n.log.join('\n');
		for (const { id, company_number } of active(simulator)) {
			expect(log).toContain(id);
			expect(log).toContain(company_number);
		}
		simulator.clearFaults();
		expect(await n8n.publish()).toBe('');
		expect(watched(simulator)).toEqual(COMPANIES);
		expect(simulator.webhooks()).toHaveLength(30);
	});

	it('that goes on is ended by a publish', async () => {
		simulator.fault({ ...PAUSES, nth: 6, times: Infinity, action: { status: 503 } });
		await n8n.unpublish();
		await waitFor('some to be paused', () => active(simulator).length <= 25);
		expect(await n8n.publish()).toBe('');
		simulator.clearFaults();
		await sleep(1500);
		expect(watched(simulator)).toEqual(COMPANIES);
		expect(simulator.webhooks()).toHaveLength(30);
	});

	it.each([
		["a key that is another account's", () => simulator.addAccount().apiKey],
		['a key that the service does not know', () => 'mistyped'],
	])('after %s was entered in the credential pauses with the one before', async (_what, key) => {
		n8n.editCredential({ baseUrl: simulator.url, apiKey: key() });
		await n8n.unpublish();
		await untilPaused();
	});

	it('after the credential was deleted pauses with it', async () => {
		n8n.editCredential();
		await n8n.unpublish();
		await untilPaused();
	});

	it('after the key was revoked and replaced by another one of the account pauses with that', async () => {
		const before = simulator.apiKey;
		const after = simulator.addApiKey();
		n8n.editCredential({ baseUrl: simulator.url, apiKey: after });
		simulator.revokeApiKey(before);
		await n8n.unpublish();
		await untilPaused();
	});
});

it('a change to another account pauses those of the one before with its own key, however busy that is', async () => {
	const before = simulator.webhooks();
	simulator.fault({ ...PAUSES, times: 40, action: { status: 503 } });
	const { apiKey } = simulator.addAccount();
	const node = { credentials: { companyRegistryApi: { id: 'another', name: 'Another' } } };
	n8n.editCredential({ baseUrl: simulator.url, apiKey });
	expect(await n8n.publish({ node })).toBe('');
	const known = new Set(before.map(({ id }) => id));
	await waitFor('those of before to be paused', () =>
		active(simulator).every(({ id }) => !known.has(id)),
	);
	expect(watched(simulator)).toEqual(COMPANIES);
	expect(await n8n.deliverAll(COMPANIES)).toEqual({ 200: 30 });
	expect(n8n.told).toEqual([]);
});
