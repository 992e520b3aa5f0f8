import { active, companyIn, counts, serviceForEachTest, watched } from '../support/atService';
import { companyNumbers, watch, watching } from '../support/savedWorkflow';
import { setTimes } from '../support/times';
jest.setTimeout(60_000);
const HOUR = 3_600_000;
const simulator = serviceForEachTest();
beforeEach(() => setTimes({ longestPause: 60 }));
const out = (...a: unknown[]) => process.stderr.write('OUT ' + a.map((x) => (typeof x === 'string' ? x : JSON.stringify(x))).join(' ') + '\n');

it('G1 no secret / other number, each check', async () => {
	for (const extra of [{}, { secret: 'whsec_abc', company_number: '99999999' }]) {
		const all = companyNumbers(4);
		const w = watch(simulator, all.slice(0, 3));
		await w.publish();
		simulator.clearRequests();
		for (let i = 0; i < 40; i++)
			simulator.fault({ method: 'POST', when: ({ body }) => companyIn(body) === all[3], action: { status: 201, body: { id: `wh_x${i}${Object.keys(extra).length}`, company_number: all[3], events: ['filing.new'], is_active: true, ...extra } } });
		await w.change({ parameters: watching(all) });
		for (let i = 1; i <= 6; i++) await w.tick(i * HOUR);
		out('G1', counts(simulator), 'told', w.told.length, w.told[0]?.slice(0, 200));
		simulator.clearFaults();
		await w.unpublish();
	}
});
it('F accounts A B C', async () => {
	const all = companyNumbers(3);
	const w = watch(simulator, all);
	await w.publish();
	const first = simulator.webhooks();
	const keys = [simulator.addAccount(), simulator.addAccount()] as unknown as Array<string | { apiKey: string }>;
	for (const key of keys) {
		const apiKey = typeof key === 'string' ? key : key.apiKey;
		// the key of before is revoked: nothing of that account can be paused
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 401, body: { error: 'unauthorized', message: 'x', status: 401 } } });
		w.setup.credentials = { companyRegistryApi: { baseUrl: simulator.url, apiKey } };
		await w.change({ parameters: watching(all) }).catch((e: Error) => out('F err', e.message.slice(0, 200)));
		simulator.clearFaults();
		out('F sets', w.state()?.sets.length, 'told', w.told.length);
	}
	const text = JSON.stringify(w.staticData);
	out('F first kept', first.filter(({ secret }) => text.includes(secret)).length, 'of', first.length, 'still active', first.filter(({ id }) => active(simulator).some((x) => x.id === id)).length, 'all active', active(simulator).length, 'told', w.told);
});
it('J clock set back', async () => {
	const w = watch(simulator, companyNumbers(3));
	await w.publish();
	await w.tick(24 * HOUR);
	simulator.clearRequests();
	for (let i = 1; i <= 23; i++) await w.tick(i * HOUR);
	out('J requests in 23 hours', counts(simulator));
});
it('K fake told-lost: problem that recurs after restart', async () => {
	const all = companyNumbers(3);
	const w = watch(simulator, all);
	await w.publish();
	const down = () => simulator.fault({ times: Infinity, action: { status: 401, body: { error: 'unauthorized', message: 'Key revoked', status: 401 } } });
	down();
	await w.tick(HOUR);
	out('K told1', w.told.length);
	simulator.clearFaults();
	await w.tick(2 * HOUR);
	await w.start();
	const n = w.told.length;
	down();
	await w.tick(5 * HOUR);
	out('K told after restart', w.told.length - n);
});
it('L removed repeatedly', async () => {
	const w = watch(simulator, companyNumbers(3));
	await w.publish();
	for (let i = 1; i <= 8; i++) {
		const one = active(simulator).find((x) => x.company_number === companyNumbers(3)[0]);
		if (one) simulator.forgetWebhook(one.id);
		await w.tick(i * HOUR);
	}
	out('L told', w.told.length, 'POST', counts(simulator).POST);
});
it('M parameters of unpublish-publish killed; expression fails', async () => {
	const all = companyNumbers(4);
	const w = watch(simulator, all);
	await w.publish();
	await w.unpublish();
	simulator.latencyMs = 100;
	void w.publish().catch(() => undefined);
	await new Promise((r) => setTimeout(r, 330));
	w.kill();
	simulator.latencyMs = 0;
	out('M stored', w.statuses(), w.state()?.status);
	await w.start('update').catch((e: Error) => out('M start threw', e.message));
	out('M watched', watched(simulator).length, w.statuses(), w.told);
});
