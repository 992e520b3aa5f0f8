import { setTimeout as sleep } from 'node:timers/promises';
import { active, companyIn, counts, serviceForEachTest, watched, received } from '../support/atService';
import { companyNumbers, watch, watching } from '../support/savedWorkflow';
import { setTimes } from '../support/times';
jest.setTimeout(60_000);
const HOUR = 3_600_000;
const simulator = serviceForEachTest();
beforeEach(() => setTimes({ longestPause: 60 }));
const out = (...a: unknown[]) => process.stderr.write('OUT ' + a.map((x) => (typeof x === 'string' ? x : JSON.stringify(x))).join(' ') + '\n');

it('A1 request id in words', async () => {
	const all = companyNumbers(4);
	const w = watch(simulator, all.slice(0, 3));
	await w.publish();
	for (let i = 1; i <= 9; i++)
		simulator.fault({ method: 'POST', when: ({ body }) => companyIn(body) === all[3], action: { status: 422, body: { error: 'refused', message: `Refused, request ${i}000abc`, status: 422 } } });
	await w.change({ parameters: watching(all) });
	for (let i = 1; i <= 6; i++) await w.tick(i * HOUR);
	out('A1 told', w.told.length, counts(simulator));
});
it('A2 quota: random subset', async () => {
	const all = companyNumbers(80);
	const w = watch(simulator, all.slice(0, 3));
	await w.publish();
	simulator.fault({ method: 'POST', times: Infinity, action: { status: 422, body: { error: 'limit_reached', message: 'Webhook limit reached', status: 422 } } });
	await w.change({ parameters: watching(all) });
	for (let i = 1; i <= 8; i++) await w.tick(i * HOUR);
	out('A2 told', w.told.length, w.told.map((x) => x.slice(0, 160)).slice(0, 2));
});
it('B lost posts', async () => {
	const all = companyNumbers(4);
	const w = watch(simulator, all.slice(0, 3));
	await w.publish();
	simulator.fault({ method: 'POST', times: Infinity, when: ({ body }) => companyIn(body) === all[3], action: 'dropAfter' });
	await w.change({ parameters: watching(all) });
	const n = () => active(simulator).filter((x) => x.company_number === all[3]).length;
	out('B after publish', n());
	for (let i = 1; i <= 6; i++) await w.tick(i * HOUR);
	out('B after 6 checks', n(), 'told', w.told.length);
});
it('C sticky problem', async () => {
	const all = companyNumbers(4);
	const w = watch(simulator, all.slice(0, 3));
	await w.publish();
	await w.change({ credentials: { companyRegistryApi: { baseUrl: 'nonsense', apiKey: simulator.apiKey } }, parameters: watching(all) });
	out('C told', w.told);
	w.setup.credentials = { companyRegistryApi: { baseUrl: simulator.url, apiKey: simulator.apiKey } };
	// the activation's context holds its own credentials: mend them there too
	await w.start('leadershipChange');
	out('C (restart) watched', watched(simulator), w.told.length);
});
it('C2 sticky problem in process', async () => {
	const all = companyNumbers(4);
	const creds = { baseUrl: simulator.url as string, apiKey: simulator.apiKey };
	const w = watch(simulator, all.slice(0, 3), { credentials: { companyRegistryApi: creds } });
	await w.publish();
	const good = creds.baseUrl;
	creds.baseUrl = 'nonsense';
	await w.change({ parameters: watching(all, { events: ['filing.new', 'watch.status'] }) });
	out('C2 told', w.told);
	creds.baseUrl = good;
	for (let i = 1; i <= 3; i++) await w.tick(i * 25 * HOUR);
	out('C2 watched', watched(simulator), 'told', w.told, 'shown', w.shown.map(({ state, summary }) => [state, summary]));
});
it('D killed in a check that creates many', async () => {
	const all = companyNumbers(80);
	const w = watch(simulator, all.slice(0, 3));
	await w.publish();
	simulator.fault({ method: 'POST', times: 60, action: { status: 503 } });
	await w.change({ parameters: watching(all) });
	out('D after publish', active(simulator).length, w.state()?.isOpen, w.told.length);
	simulator.latencyMs = 60;
	simulator.clearRequests();
	(simulator as unknown as { clearFaults?: () => void }).clearFaults?.();
	const ticking = w.tick(HOUR);
	await received(simulator, 45, 'POST');
	w.kill();
	simulator.latencyMs = 0;
	await sleep(500);
	const before = w.told.length;
	out('D at kill', active(simulator).length, 'isOpen stored', w.state()?.isOpen);
	await w.start();
	const text = JSON.stringify(w.staticData);
	const kept = new Set(active(simulator).filter(({ secret }) => text.includes(secret)).map((x) => x.company_number));
	out('D after start kept companies', kept.size, 'of 80; told', w.told.slice(before));
	void ticking;
});
it('E mended though refused', async () => {
	const all = companyNumbers(3);
	const w = watch(simulator, all);
	await w.publish();
	simulator.forgetWebhook(simulator.webhooks()[0].id);
	simulator.fault({ method: 'POST', times: Infinity, action: { status: 422, body: { error: 'limit_reached', message: 'Webhook limit reached', status: 422 } } });
	await w.tick(HOUR);
	out('E told', w.told, watched(simulator));
});
it('F accounts A B C', async () => {
	const all = companyNumbers(3);
	const w = watch(simulator, all);
	out('F keys', Object.keys(simulator).join());
	await w.publish();
});
