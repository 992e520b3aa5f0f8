// Messages of the trigger to itself are its own: nobody else can send one, and none counts twice.
import { waitFor } from '../../n8n-host/waitFor';
import { active, refuse, serviceForEachTest } from '../../support/atService';
import {
	n8nForEachTest,
	passTime,
	shortenWaits,
	type LiveN8n,
	type OwnRequest,
} from '../../support/liveN8n';
import { companyNumbers } from '../../support/savedWorkflow';

jest.setTimeout(60_000);

const COMPANIES = companyNumbers(40);

const start = n8nForEachTest();
const simulator = serviceForEachTest();

/** An n8n that has sent messages to itself; the last of them became a failed execution. */
async function withMessages(): Promise<LiveN8n> {
	shortenWaits({ answer: 700, store: 150 });
	simulator.latencyMs = 200;
	refuse(simulator, COMPANIES.slice(-1));
	const n8n = await start(simulator, COMPANIES);
	// All but one, and then that one as well.
	expect(await n8n.watch(COMPANIES.slice(0, -1))).toBe('');
	await waitFor('the rest', () => n8n.kept.length === COMPANIES.length - 1);
	expect(await n8n.watch(COMPANIES)).toBe('');
	await n8n.untilTold();
	await n8n.untilQuiet();
	// What was verified keeps what was not from being shown.
	expect(await n8n.deliver(COMPANIES[0])).toBe(200);
	return n8n;
}

/** The request again, as somebody sends it who has captured it. */
async function replay(n8n: LiveN8n, { url, headers, body }: OwnRequest) {
	const kept = Object.entries(headers).filter(([name]) => /^content-type|^x-/.test(name));
	return await n8n.post(url, Object.fromEntries(kept) as Record<string, string>, body);
}

/** The webhook of which something was verified. */
const verified = () => {
	const [webhook] = active(simulator).filter((one) => one.company_number === COMPANIES[0]);
	return webhook;
};

/** What must not change by a message that is refused. */
function seen(n8n: LiveN8n) {
	return structuredClone({
		executions: n8n.executions.length,
		staticData: n8n.staticData,
		log: n8n.log.length,
	});
}

describe('a message that somebody else sends', () => {
	it('again, in the same process, after a restart, or to another process, is answered as an unsigned request, told nowhere, and shows nothing', async () => {
		const n8n = await withMessages();
		const sent = [...n8n.ownRequests];
		expect(sent.length).toBeGreaterThan(2);
		const steps = [
			async () => undefined,
			async () => await n8n.boot(),
			async () => await n8n.receiveElsewhere(),
		];
		for (const [index, step] of steps.entries()) {
			await step();
			// A process that has verified nothing would show the first of these.
			expect(await n8n.deliver(COMPANIES[0], { deliveryId: `another-${index}` })).toBe(200);
			const { url } = verified();
			const unsigned = await n8n.post(url.slice(n8n.url.length), {}, Buffer.from('{}'));
			expect(unsigned.status).toBe(401);
			const untouched = seen(n8n);
			for (const message of sent) expect(await replay(n8n, message)).toEqual(unsigned);
			expect(seen(n8n)).toEqual(untouched);
		}
		const all = sent.map(({ url, body, headers }) => {
			return `${url} ${JSON.stringify(headers)} ${body.toString('latin1')}`;
		});
		const secrets = simulator.webhooks().flatMap(({ secret, id }) => [secret, id]);
		for (const secret of [...secrets, simulator.apiKey]) expect(all.join()).not.toContain(secret);
	});

	it('after it was captured on its way, a minute later, is refused', async () => {
		const n8n = await withMessages();
		n8n.itself = 'refused';
		n8n.ownRequests.length = 0;
		await n8n.watch(COMPANIES, { events: ['filing.new', 'psc.added'] });
		await waitFor('a message', () => n8n.ownRequests.length > 0);
		await n8n.boot();
		const [captured] = n8n.ownRequests;
		passTime(61_000);
		const untouched = seen(n8n);
		expect((await replay(n8n, captured)).status).toBe(401);
		expect(seen(n8n)).toEqual(untouched);
	});
});

it("whoever knows a webhook's secret and address starts the workflow, and stores nothing, as no delivery does", async () => {
	const n8n = await withMessages();
	const { body, url } = n8n.ownRequests[0];
	const before = structuredClone(n8n.staticData);
	const { saves } = n8n;
	const query = url.split('?')[1];
	const webhook = verified();
	const own = webhook.url.replace('localhost', '127.0.0.1');
	for (const address of [own, `${own}&${query}`, `${own.split('?')[0]}?${query}`]) {
		await n8n.deliverTo(webhook, { rawBody: body, url: address });
		await n8n.deliverTo(webhook, { url: address });
	}
	await n8n.deliver(COMPANIES[1]);
	await n8n.deliver(COMPANIES[0], { secret: 'whsec_AAAA' });
	expect(n8n.staticData).toEqual(before);
	expect(n8n.saves).toBe(saves);
});
