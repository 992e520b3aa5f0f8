// What a life-cycle call is about is told by what it is, not by comparing addresses.
import { setTimeout as sleep } from 'node:timers/promises';

import { waitFor } from '../../n8n-host/waitFor';
import { active, counts, serviceForEachTest, watched } from '../../support/atService';
import { n8nForEachTest, shortenWaits, type LiveN8n } from '../../support/liveN8n';
import { companyNumbers } from '../../support/savedWorkflow';

jest.setTimeout(60_000);

const COMPANIES = companyNumbers(40);
/** As with N8N_EDITOR_BASE_URL beside WEBHOOK_URL. */
const EDITOR = { webhookTestBaseUrl: 'https://editor.example.com/webhook-test' };

const start = n8nForEachTest();
const simulator = serviceForEachTest();

describe('the end of a test, at another host than production', () => {
	/** A test that can begin, or not. */
	const test = async (n8n: LiveN8n, testEvent: string, companies = COMPANIES) =>
		await n8n
			.executeStep({ companyNumbers: companies.join(', '), options: { testEvent } })
			.catch(() => undefined);

	it.each(['sample', 'real'])(
		'that shows a %s event leaves the published workflow alone, also before it is published first, and after a restart',
		async (testEvent) => {
			const n8n = await start(simulator, COMPANIES, EDITOR);
			const before = await test(n8n, testEvent);
			expect(await n8n.publish()).toBe('');
			await before?.end();
			for (const restarts of [false, true]) {
				if (restarts) await n8n.boot();
				await (await test(n8n, testEvent))?.end();
				await n8n.untilQuiet();
				expect(n8n.webhooks.filter(({ is_active }) => is_active)).toHaveLength(40);
				// Nothing of the test stays active.
				expect(active(simulator)).toHaveLength(40);
				expect(await n8n.deliverAll(COMPANIES)).toEqual({ 200: 40 });
			}
			expect(n8n.told).toEqual([]);
		},
	);

	it('while a publish goes on, does not stop it', async () => {
		simulator.latencyMs = 300;
		shortenWaits({ answer: 900 });
		const n8n = await start(simulator, COMPANIES, EDITOR);
		expect(await n8n.publish()).toBe('');
		expect(active(simulator).length).toBeLessThan(40);
		await (await test(n8n, 'sample', COMPANIES.slice(0, 1)))?.end();
		await waitFor('the rest', () => n8n.kept.length === 40, { timeoutMs: 20_000 });
		expect(n8n.webhooks.filter(({ is_active }) => is_active)).toHaveLength(40);
		expect(n8n.told).toEqual([]);
	});
});

describe('a planned pause, while another process has published since', () => {
	it('of an updated package pauses nothing', async () => {
		shortenWaits({ beforePausing: 2500 });
		const n8n = await start(simulator, companyNumbers(8));
		expect(await n8n.publish()).toBe('');
		await n8n.unpublish();
		await n8n.updatePackage();
		expect(await n8n.publish()).toBe('');
		simulator.clearRequests();
		await sleep(4000);
		expect(counts(simulator)).toEqual({});
		expect(watched(simulator)).toEqual(companyNumbers(8));
		expect(await n8n.deliverAll(companyNumbers(8))).toEqual({ 200: 8 });
	});

	it('pauses all where nobody has', async () => {
		const n8n = await start(simulator, companyNumbers(8));
		expect(await n8n.publish()).toBe('');
		await n8n.unpublish();
		await n8n.updatePackage();
		await waitFor('all to be paused', () => active(simulator).length === 0);
	});
});
