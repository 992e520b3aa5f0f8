// What a life-cycle call is about is told by what it is, not by comparing addresses.
import { setTimeout as sleep } from 'node:timers/promises';

import { waitFor } from '../../n8n-host/waitFor';
import { active, counts, serviceForEachTest, watched } from '../../support/atService';
import { n8nForEachTest } from '../../support/liveN8n';
import { shortenWaits } from '../../support/loadedTriggers';
import { companyNumbers } from '../../support/savedWorkflow';

jest.setTimeout(60_000);

const COMPANIES = companyNumbers(40);
/** As with N8N_EDITOR_BASE_URL beside WEBHOOK_URL. */
const EDITOR = { webhookTestBaseUrl: 'https://editor.example.com/webhook-test' };

const start = n8nForEachTest();
const simulator = serviceForEachTest();

describe.each([
	['a sample', 'sample'],
	['the next real event', 'real'],
])('the end of a test with %s, at another host than production', (_what, testEvent) => {
	const asTest = (companies = COMPANIES) => ({
		companyNumbers: companies.join(', '),
		options: { testEvent },
	});

	it.each(['before it was published first', 'while it is published'])(
		'%s, leaves the published workflow alone',
		async (when) => {
			const n8n = await start(simulator, COMPANIES, EDITOR);
			if (when.startsWith('while')) expect(await n8n.publish()).toBe('');
			const step = await n8n.executeStep(asTest()).catch(() => undefined);
			if (when.startsWith('before')) expect(await n8n.publish()).toBe('');
			await step?.end();
			await n8n.untilQuiet();
			const ofProduction = active(simulator).filter(({ url }) => url.startsWith(n8n.url));
			expect(ofProduction).toHaveLength(40);
			expect(await n8n.deliverAll(COMPANIES)).toEqual({ 200: 40 });
			// Nothing of the test stays active.
			expect(active(simulator)).toHaveLength(40);
			expect(n8n.told).toEqual([]);
		},
	);

	it('after a restart of n8n, too', async () => {
		const n8n = await start(simulator, COMPANIES, EDITOR);
		expect(await n8n.publish()).toBe('');
		await n8n.boot();
		const step = await n8n.executeStep(asTest()).catch(() => undefined);
		await step?.end();
		await n8n.untilQuiet();
		expect(active(simulator)).toHaveLength(40);
		expect(await n8n.deliverAll(COMPANIES)).toEqual({ 200: 40 });
	});

	it('while a publish goes on, does not stop it', async () => {
		simulator.latencyMs = 300;
		shortenWaits({ answer: 900 });
		const n8n = await start(simulator, COMPANIES, EDITOR);
		expect(await n8n.publish()).toBe('');
		expect(active(simulator).length).toBeLessThan(40);
		const step = await n8n.executeStep(asTest(COMPANIES.slice(0, 1))).catch(() => undefined);
		await step?.end();
		const ofProduction = () => active(simulator).filter(({ url }) => url.startsWith(n8n.url));
		await waitFor('the rest', () => ofProduction().length === 40, { timeoutMs: 20_000 });
		await waitFor('all to be stored', () => n8n.kept.length === 40);
		expect(n8n.told).toEqual([]);
	});
});

it('an unpublish whose node has another path by now still pauses all', async () => {
	const n8n = await start(simulator, COMPANIES, EDITOR);
	expect(await n8n.publish()).toBe('');
	await n8n.unpublish();
	await waitFor('all to be paused', () => active(simulator).length === 0);
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

	it('pauses nothing while that one still goes on either', async () => {
		shortenWaits({ beforePausing: 1500, answer: 700 });
		const n8n = await start(simulator, companyNumbers(30));
		expect(await n8n.publish()).toBe('');
		await n8n.unpublish();
		await n8n.updatePackage();
		simulator.latencyMs = 200;
		expect(await n8n.watch(companyNumbers(90))).toBe('');
		await waitFor('all', () => active(simulator).length === 90, { timeoutMs: 20_000 });
		await n8n.untilQuiet();
		expect(watched(simulator)).toEqual(companyNumbers(90));
	});

	it('pauses all where nobody has', async () => {
		const n8n = await start(simulator, companyNumbers(8));
		expect(await n8n.publish()).toBe('');
		await n8n.unpublish();
		await n8n.updatePackage();
		await waitFor('all to be paused', () => active(simulator).length === 0);
	});
});
