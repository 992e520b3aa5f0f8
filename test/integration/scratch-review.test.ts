import { active, companyIn, counts, PAUSES, serviceForEachTest, watched } from '../support/atService';
import { companyNumbers, watch, watching } from '../support/savedWorkflow';
import { setTimes } from '../support/times';
jest.setTimeout(60_000);
const HOUR = 3_600_000;
const simulator = serviceForEachTest();
beforeEach(() => setTimes({ longestPause: 60 }));
const out = (...a: unknown[]) => process.stderr.write('OUT ' + a.map((x) => (typeof x === 'string' ? x : JSON.stringify(x))).join(' ') + '\n');
const wait = async (ms: number) => await new Promise((r) => setTimeout(r, ms));

it('F accounts A B C', async () => {
	const all = companyNumbers(3);
	const w = watch(simulator, all);
	await w.publish();
	const first = simulator.webhooks();
	const keys = [simulator.addAccount(), simulator.addAccount()] as unknown as Array<string | { apiKey: string }>;
	for (const key of keys) {
		const apiKey = typeof key === 'string' ? key : key.apiKey;
		simulator.fault({ ...PAUSES, times: Infinity, action: { status: 401, body: { error: 'unauthorized', message: 'x', status: 401 } } });
		w.setup.credentials = { companyRegistryApi: { baseUrl: simulator.url, apiKey } };
		await w.change({ parameters: watching(all) }).catch((e: Error) => out('F err', e.message.slice(0, 200)));
		simulator.clearFaults();
		out('F sets', w.state()?.sets.length, 'told', w.told.length);
	}
	await w.tick(HOUR);
	const text = JSON.stringify(w.staticData);
	out('F first kept', first.filter(({ secret }) => text.includes(secret)).length, 'of', first.length, 'still active', first.filter(({ id }) => active(simulator).some((x) => x.id === id)).length, 'all active', active(simulator).length, 'told', w.told);
});
it('N killed in a change after delete, service down at the start', async () => {
	const all = companyNumbers(30);
	const w = watch(simulator, all);
	await w.publish();
	simulator.latencyMs = 300;
	void w.submit({ parameters: watching([...all, '20000001']) }).catch(() => undefined);
	await wait(150);
	w.kill();
	simulator.latencyMs = 0;
	out('N stored', w.state()?.status, active(simulator).length);
	simulator.fault({ times: Infinity, action: { status: 503 } });
	let threw = '';
	await w.restart();
	await w.publish(w.load(), 'update').catch((e: Error) => (threw = e.message));
	out('N threw', threw.slice(0, 250), 'served', (w as unknown as { isServed: boolean }).isServed);
	simulator.clearFaults();
	await w.tick(HOUR); await w.tick(5 * HOUR);
	out('N active', active(simulator).length, w.state()?.status);
});
it('N2 the same by init', async () => {
	const all = companyNumbers(30);
	const w = watch(simulator, all);
	await w.publish();
	simulator.latencyMs = 300;
	void w.submit({ parameters: watching(all.slice(0, 10)) }).catch(() => undefined);
	await wait(150);
	w.kill();
	simulator.latencyMs = 0;
	await w.start('init');
	await w.tick(HOUR);
	out('N2 active after a removal of 20 that was killed', active(simulator).length, w.shown.length, w.told);
});
it('O interrupted licence stays', async () => {
	const all = companyNumbers(3);
	const w = watch(simulator, all);
	await w.publish();
	// 60 more, one refused for ever; killed in the middle
	const many = companyNumbers(63);
	simulator.fault({ method: 'POST', times: Infinity, when: ({ body }) => companyIn(body) === many[62], action: { status: 422, body: { error: 'refused', message: 'Refused', status: 422 } } });
	simulator.latencyMs = 100;
	void w.submit({ parameters: watching(many) }).catch(() => undefined);
	await wait(800);
	w.kill();
	simulator.latencyMs = 0;
	await w.start();
	const before = active(simulator).length;
	// another workflow watches 50 others
	const other = watch(simulator, companyNumbers(120).slice(70));
	await other.publish();
	await w.change({ parameters: watching([...many, ...companyNumbers(120).slice(70)]) });
	const per = counts({ requests: [], webhooks: simulator.webhooks } as never);
	const perCompany = new Map<string, number>();
	for (const x of active(simulator)) perCompany.set(x.company_number, (perCompany.get(x.company_number) ?? 0) + 1);
	out('O', before, per, 'doubled of the other', companyNumbers(120).slice(70).filter((c) => perCompany.get(c) === 2).length);
});
