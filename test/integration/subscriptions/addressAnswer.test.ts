// The answer to Address Changed counts once it was carried out, and can be taken back until then.
import type { FaultAction } from '../../simulator';
import { active, serviceForEachTest } from '../../support/atService';
import { n8nForEachTest, type LiveN8n } from '../../support/liveN8n';
import { companyNumbers } from '../../support/savedWorkflow';

jest.setTimeout(60_000);

const COMPANIES = companyNumbers(6);

const start = n8nForEachTest();
const simulator = serviceForEachTest();
let copies = 0;
let production: LiveN8n;
/** An n8n at another address, with a copy of the database. */
let staging: LiveN8n;

beforeEach(async () => {
	const workflowId = `copied-${++copies}`;
	production = await start(simulator, COMPANIES, { workflowId });
	expect(await production.publish()).toBe('');
	const { staticData } = production;
	staging = await start(simulator, COMPANIES, { workflowId, staticData, firstProcess: 4 });
});

const answer = async (addressChanged: string) =>
	await staging.watch(COMPANIES, { options: { addressChanged } });

describe('"Moved" that was set by mistake and corrected to "Copy"', () => {
	it.each<[string, FaultAction]>([
		['the service is down', { status: 503 }],
		['the key is refused', { status: 401 }],
	])('where %s, leaves the webhooks of production alone', async (_what, action) => {
		const before = simulator.webhooks();
		simulator.fault({ times: Infinity, action });
		expect(await answer('move')).toMatch(/^Nothing is watched: /);
		simulator.clearFaults();
		expect(await answer('copy')).toBe('');
		await staging.untilQuiet();
		expect(simulator.webhooks().slice(0, 6)).toEqual(before);
		expect(await production.deliverAll(COMPANIES)).toEqual({ 200: 6 });
		expect(await staging.deliverAll(COMPANIES)).toEqual({ 200: 6 });
		expect(active(simulator)).toHaveLength(12);
	});

	it('where the credential cannot be used, leaves them alone as well', async () => {
		const before = simulator.webhooks();
		staging.editCredential({ baseUrl: '', apiKey: '' });
		expect(await answer('move')).toMatch(/^Nothing is watched: /);
		staging.editCredential({ baseUrl: simulator.url, apiKey: simulator.apiKey });
		expect(await answer('copy')).toBe('');
		await staging.untilQuiet();
		expect(simulator.webhooks().slice(0, 6)).toEqual(before);
	});

	it('where every update is refused, leaves them alone as well', async () => {
		const before = simulator.webhooks();
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 403 } });
		expect(await answer('move')).toMatch(/^Nothing is watched: /);
		simulator.clearFaults();
		expect(await answer('copy')).toBe('');
		await staging.untilQuiet();
		expect(simulator.webhooks().slice(0, 6)).toEqual(before);
	});

	it('across a restart, leaves them alone as well', async () => {
		const before = simulator.webhooks();
		simulator.fault({ times: Infinity, action: { status: 503 } });
		expect(await answer('move')).toMatch(/^Nothing is watched: /);
		simulator.clearFaults();
		await staging.boot();
		expect(await answer('copy')).toBe('');
		await staging.untilQuiet();
		expect(simulator.webhooks().slice(0, 6)).toEqual(before);
	});
});

it('"Moved" that was set while the service was down is carried out by the next publish', async () => {
	simulator.fault({ times: Infinity, action: { status: 503 } });
	expect(await answer('move')).toMatch(/^Nothing is watched: /);
	simulator.clearFaults();
	await staging.untilQuiet();
	expect(await staging.publishAgain()).toBe('');
	expect(simulator.webhooks()).toHaveLength(6);
	expect(await staging.deliverAll(COMPANIES)).toEqual({ 200: 6 });
});
