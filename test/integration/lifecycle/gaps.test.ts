// Gaps are told with their whole length, once, and only where events can be missing.
import { randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { serviceForEachTest } from '../../support/atService';
import { COMPANIES, nameOf, table, watchClients } from '../../support/clientList';
import { exchange, type DeliveredRequest } from '../../support/exchange';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { COMMON_FORMAT } from '../../support/serviceScheme';
import { HOUR, MINUTE, passTime, setTimes } from '../../support/times';
import { signedFor } from '../../support/triggerHarness';

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(async () => {
	workflow = await watchClients(simulator);
});

const change = async (parameters: INodeParameters) => await workflow.change({ parameters });

/** The length of the only gap that a subject tells. */
function hoursIn(subject: string): number {
	const times = [...subject.matchAll(/(?:(\d+) \w+ )?(\d\d):\d\d/g)];
	const [from, to] = times.map(([, day = '0', hour]) => Number(day) * 24 + Number(hour));
	return to - from;
}

describe('events that may be missing, and those that cannot be', () => {
	it('an unpublish of some seconds is told, but is no alarm', async () => {
		await workflow.takeDown();
		await workflow.publish();
		expect(workflow.subjects).toEqual([
			expect.stringMatching(/^Events may be missing for 58 companies (around|between) /),
		]);
		expect(workflow.told).toEqual([]);
	});

	it('an unpublish whose pauses fail leaves no company that is called not watched', async () => {
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 500 } });
		await workflow.unpublish();
		await workflow.publish();
		expect(workflow.subjects).toEqual([
			expect.stringMatching(/^Events may be missing for 58 companies (around|between) /),
		]);
		expect(simulator.watched()).toEqual(COMPANIES);
	});

	it('an event that someone adds is taken away, and no event is missing', async () => {
		simulator.drift({ events: ['filing.new', 'psc.added'] }, [COMPANIES[0]]);
		await workflow.later();
		expect(workflow.told).toEqual([]);
		expect(workflow.shown.at(-1)).toMatchObject({
			state: 'repaired',
			summary: expect.stringContaining(
				'Someone had added events to these webhooks, and the trigger has taken them away:\n- 10000001 Client 10000001',
			),
		});
		expect(workflow.subjects).toEqual(['58 companies are watched']);
		expect(simulator.webhooks().every(({ events }) => events.length === 1)).toBe(true);
		await workflow.later();
		expect(workflow.subjects).toHaveLength(1);
	});

	it('companies that have more events than are chosen now are called watched', async () => {
		await change({ ...table(COMPANIES), events: ['filing.new', 'psc.added', 'watch.report'] });
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 503 } });
		await change(table(COMPANIES));
		expect(workflow.subjects.at(-1)).toMatch(
			/^Could not finish the check since \S+ \(last seen: 58 of 58 watched\); 1 event no longer chosen$/,
		);
	});

	it('a company that the service refuses in another account has a gap until it is watched there', async () => {
		const { companyRegistryApi } = workflow.setup.credentials!;
		Object.assign(companyRegistryApi, { apiKey: simulator.addAccount().apiKey });
		simulator.refuse([COMPANIES[0]]);
		await change(table(COMPANIES));
		expect(workflow.subjects).toEqual(['1 of 58 companies is not watched']);
		simulator.clearFaults();
		await workflow.later(3 * HOUR);
		expect(workflow.subjects.at(-1)).toMatch(/^Events may be missing for 1 company between /);
	});
});

describe('a gap goes on', () => {
	it('while the service shows a webhook without a chosen event', async () => {
		simulator.drift({ events: ['psc.added'] }, [COMPANIES[0]]);
		const { id } = simulator.webhooks().find((one) => one.company_number === COMPANIES[0])!;
		const data = { id, company_number: COMPANIES[0], events: [], is_active: true };
		const action = { status: 200, body: { data } };
		simulator.fault({ method: 'PATCH', times: Infinity, action });
		await workflow.later();
		await workflow.later(20 * HOUR);
		expect(workflow.subjects).toEqual(['1 of 58 companies is not watched']);
		simulator.clearFaults();
		await workflow.later();
		expect(hoursIn(workflow.subjects.at(-1)!)).toBeGreaterThanOrEqual(21);
	});

	it('of a chosen event that was not sent before n8n stopped', async () => {
		setTimes({ earlyAnswer: 300, stop: 50 });
		simulator.latencyMs = 150;
		const events = ['filing.new', 'psc.added', 'watch.report'];
		workflow.setup.parameters = { ...table(COMPANIES), events };
		await workflow.submit();
		await workflow.stop();
		simulator.latencyMs = 0;
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 500 } });
		passTime(6 * MINUTE);
		await workflow.start();
		await workflow.later(3 * HOUR);
		simulator.clearFaults();
		await workflow.later();
		expect(hoursIn(workflow.subjects.at(-1)!)).toBeGreaterThanOrEqual(4);
	});

	it('across two restarts, while n8n has another address', async () => {
		const { webhookBaseUrl } = workflow.setup;
		await workflow.stop();
		workflow.setup.webhookBaseUrl = 'https://moved.example.com/webhook';
		await workflow.start();
		passTime(3 * HOUR);
		await workflow.stop();
		await workflow.start();
		workflow.setup.webhookBaseUrl = webhookBaseUrl;
		await workflow.start();
		expect(hoursIn(workflow.subjects.at(-1)!)).toBe(3);
	});
});

describe('a gap keeps its beginning, where n8n restarts before the end', () => {
	/** Four hours pass, n8n restarts, and then the service answers. */
	async function restart(): Promise<string> {
		for (let hour = 0; hour < 4; hour++) await workflow.later();
		await workflow.stop();
		passTime(6 * MINUTE);
		await workflow.start();
		simulator.clearFaults();
		await workflow.later();
		return workflow.subjects.at(-1) ?? '';
	}

	it('of an additional event, whose name the list need not show', async () => {
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 503 } });
		await change({ ...table(COMPANIES), options: { additionalEvents: 'status.changed' } });
		expect(hoursIn(await restart())).toBeGreaterThanOrEqual(5);
	});

	it('of webhooks of which only some could be moved', async () => {
		await workflow.stop();
		workflow.setup.webhookBaseUrl = 'https://moved.example.com/webhook';
		await workflow.start();
		simulator.fault({ method: 'PATCH', nth: 20, times: Infinity, action: { status: 503 } });
		await change({ ...table(COMPANIES), options: { addressChanged: 'move' } });
		expect(hoursIn(await restart())).toBeGreaterThanOrEqual(5);
	});
});

it('the downtime of a company is told although the answer to its change was lost', async () => {
	const { id } = simulator.webhooks().find((one) => one.company_number === COMPANIES[0])!;
	simulator.fault({ method: 'PATCH', path: RegExp(id), times: Infinity, action: { status: 500 } });
	await change({ ...table(COMPANIES), events: ['filing.new', 'psc.added', 'watch.report'] });
	await workflow.later(11 * MINUTE);
	workflow.executions.splice(0);
	await workflow.stop();
	passTime(3 * HOUR);
	await workflow.start();
	await workflow.later(11 * MINUTE);
	expect(workflow.told.join()).toMatch(/10000001 Client 10000001: n8n was not running; events /);
});

it('a pause by someone else is told although an event was missing before', async () => {
	simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 503 } });
	await change({ ...table(COMPANIES), events: ['filing.new', 'psc.added', 'watch.report'] });
	await workflow.later(11 * MINUTE);
	simulator.drift({ is_active: false }, [COMPANIES[0]]);
	for (let hour = 0; hour < 3; hour++) await workflow.later();
	expect(workflow.told.join()).toContain('Had been paused');
});

describe('a trigger node that replaces another one', () => {
	/** Deletes the node and adds a new one, as a change or while nothing is published. */
	const replace = (id: string, parameters = table(COMPANIES)) =>
		Object.assign(workflow.setup, { node: { id, webhookId: id }, parameters });

	it('tells the time in which none was published', async () => {
		await workflow.unpublish();
		passTime(HOUR);
		replace('new');
		await workflow.publish();
		workflow.expectTold(/^Events may be missing for 58 companies between /);
		expect(hoursIn(workflow.subjects.at(-1)!)).toBe(1);
	});

	it('tells no time in which the one before it has watched', async () => {
		await workflow.unpublish();
		passTime(HOUR);
		replace('new');
		await workflow.publish();
		await workflow.later(3 * HOUR);
		workflow.executions.splice(0);
		await workflow.takeDown();
		replace('newer');
		await workflow.publish();
		expect([workflow.told, workflow.subjects]).toEqual([[], ['58 companies are watched']]);
	});

	it('tells which companies its list no longer has', async () => {
		await workflow.takeDown();
		replace('new', table(COMPANIES.slice(0, 5)));
		await workflow.publish();
		expect(workflow.subjects).toEqual(['5 companies are watched: 53 removed']);
	});

	it('tells the whole time in which the webhooks of the one before were missing', async () => {
		simulator.drift('remove');
		for (let hour = 0; hour < 5; hour++) await workflow.later();
		workflow.executions.splice(0);
		await workflow.takeDown();
		replace('new');
		await workflow.publish();
		workflow.expectTold(/^Events may be missing for 58 companies between /);
		expect(hoursIn(workflow.subjects.at(-1)!)).toBeGreaterThanOrEqual(5);
	});

	it('tells the gap of companies that come back later', async () => {
		await workflow.takeDown();
		replace('new', table(COMPANIES.slice(3)));
		await workflow.publish();
		await workflow.later(24 * HOUR);
		await change(table(COMPANIES));
		expect(workflow.subjects.at(-1)).toMatch(/^Events may be missing for 3 companies between /);
		expect(hoursIn(workflow.subjects.at(-1)!)).toBe(24);
	});

	it('hands over to the one that is restored', async () => {
		const { node } = workflow.setup;
		await workflow.unpublish();
		replace('new');
		await workflow.publish();
		await workflow.later(24 * HOUR);
		setTimes({ beforeReport: 10 * MINUTE, beforePausing: 2000 });
		await workflow.takeDown();
		Object.assign(workflow.setup, { node });
		workflow.executions.splice(0);
		await workflow.publish();
		expect([workflow.told, workflow.subjects]).toEqual([[], ['58 companies are watched']]);
	});

	it('tells the time in which none was published and who has left, also after n8n has restarted', async () => {
		await workflow.unpublish();
		passTime(5 * HOUR);
		await workflow.restart();
		replace('new', table(COMPANIES.slice(2)));
		await workflow.publish();
		workflow.expectTold(/^Events may be missing for 56 companies between .*; 2 removed /);
		expect(hoursIn(workflow.subjects.at(-1)!)).toBe(5);
	});

	it('tells since when the one before it has refused all deliveries', async () => {
		const scheme = { header: 'x-seal', content: '{bdy}' };
		await change({ ...table(COMPANIES), options: { signature: { scheme } } });
		await workflow.later(5 * HOUR);
		await workflow.takeDown();
		replace('new');
		await workflow.publish();
		expect(workflow.subjects.at(-1)).toMatch(/^Events may be missing for 58 companies between /);
		expect(hoursIn(workflow.subjects.at(-1)!)).toBe(5);
	});

	it('tells the gap of companies that come back after a restart', async () => {
		await workflow.takeDown();
		replace('new', table(COMPANIES.slice(3)));
		await workflow.publish();
		await workflow.later();
		await workflow.stop();
		await workflow.start();
		await workflow.later(24 * HOUR);
		await change(table(COMPANIES));
		expect(workflow.subjects.at(-1)).toMatch(/^Events may be missing for 3 companies between /);
	});

	it('tells what someone had changed before the last check of the one before', async () => {
		simulator.drift({ is_active: false }, COMPANIES.slice(0, 2));
		await workflow.takeDown();
		replace('new');
		await workflow.publish();
		workflow.expectTold(/^Events may be missing for 2 companies .*Had been paused/);
	});

	it('tells nothing of it to a third one, a day later', async () => {
		await change({ ...table(COMPANIES), events: ['filing.new', 'psc.added', 'watch.report'] });
		await workflow.takeDown();
		replace('new', table(COMPANIES.slice(2)));
		await workflow.publish();
		await workflow.later(24 * HOUR);
		const { workflowId } = workflow.setup;
		const third = watch(simulator, [], {
			parameters: table(['20000001', '20000002']),
			...{ workflowId, node: { id: 'third', webhookId: 'third' } },
		});
		await third.publish();
		expect(third.subjects).toEqual(['2 companies are watched']);
	});

	it('tells which events are no longer chosen', async () => {
		await change({ ...table(COMPANIES), events: ['filing.new', 'psc.added', 'watch.report'] });
		workflow.executions.splice(0);
		await workflow.takeDown();
		replace('new');
		await workflow.publish();
		expect(workflow.subjects).toEqual(['58 companies are watched: 1 event no longer chosen']);
	});

	it('tells none of companies that a third one watches', async () => {
		await workflow.unpublish();
		const { workflowId } = workflow.setup;
		replace('new');
		await workflow.publish();
		await workflow.later(3 * HOUR);
		const third = watch(simulator, [], {
			parameters: { ...table(COMPANIES.slice(0, 5)), options: { alreadyWatched: 'watch' } },
			...{ workflowId, node: { id: 'third', webhookId: 'third' } },
		});
		await third.publish();
		expect(third.subjects).toEqual(['5 companies are watched']);
	});
});

it('a long unpublish is an alarm, although a missing event was told before it', async () => {
	simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 503 } });
	await change({ ...table(COMPANIES), events: ['filing.new', 'psc.added', 'watch.report'] });
	await workflow.later(11 * MINUTE);
	const { length } = workflow.told;
	simulator.clearFaults();
	await workflow.unpublish();
	passTime(5 * HOUR);
	await workflow.publish();
	expect(workflow.told.slice(length)).toEqual([
		expect.stringMatching(/^Events may be missing for 58 companies between /),
	]);
});

it('the alarm of one company does not count those that were unpublished for a moment', async () => {
	simulator.drift({ is_active: false }, [COMPANIES[0]]);
	passTime(30 * MINUTE);
	await workflow.takeDown();
	await workflow.publish();
	expect(workflow.subjects).toEqual([
		expect.stringMatching(/^Events may be missing for 1 company between /),
	]);
});

it('a removed company that was alarmed once is not alarmed again while updates fail', async () => {
	simulator.drift({ is_active: false }, COMPANIES.slice(0, 5));
	passTime(30 * MINUTE);
	simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 503 } });
	await change(table(COMPANIES.slice(1)));
	for (let hour = 0; hour < 3; hour++) await workflow.later();
	expect(workflow.told.filter((words) => words.includes(nameOf(COMPANIES[0])))).toHaveLength(1);
});

it('changes of many other companies are an alarm at each check that finds some', async () => {
	await change(table(companyNumbers(69)));
	for (let hour = 0; hour < 3; hour++) {
		const some = companyNumbers(69).slice(hour * 23, hour * 23 + 23);
		simulator.drift({ is_active: false }, some);
		await workflow.later();
	}
	expect(workflow.told).toHaveLength(3);
});

it('a gap whose beginning is not known is told from its discovery, also after a restart', async () => {
	const [first] = COMPANIES;
	workflow.kill();
	simulator.drift('remove', [first]);
	simulator.refuse([first]);
	passTime(MINUTE);
	await workflow.start();
	expect(workflow.subjects.at(-1)).toMatch(/^1 of 58 companies is not watched/);
	for (let hour = 0; hour < 5; hour++) await workflow.later();

	await workflow.stop();
	simulator.clearFaults();
	passTime(6 * MINUTE);
	await workflow.start();
	await workflow.later();
	const line = new RegExp(`- ${first}[^:]*: events may be missing between (.*)$`, 'm');
	const { summary } = workflow.shown.at(-1)!;
	expect(hoursIn(line.exec(summary)?.[0] ?? summary)).toBeGreaterThanOrEqual(5);
});

it('a company that is still not watched is not said to miss events until the publish only', async () => {
	const [first] = COMPANIES;
	simulator.drift('remove', [first]);
	simulator.refuse([first]);
	await workflow.later();
	await workflow.unpublish();
	passTime(HOUR);
	await workflow.publish();
	expect(workflow.subjects.at(-1)).toMatch(/^1 of 58 companies is not watched/);
	expect(workflow.shown.at(-1)?.summary).toMatch(
		/- 10000001 .*: Had been removed; events may be missing since /,
	);
});

describe('an event that was not chosen for a while', () => {
	const TWO = { ...table(COMPANIES), events: ['filing.new', 'psc.added', 'watch.report'] };
	const MISSING = /^Events may be missing for 58 companies between /;

	beforeEach(async () => {
		await change(TWO);
		await change(table(COMPANIES));
		passTime(5 * HOUR);
		workflow.executions.splice(0);
	});

	it('may be missing for that time, also after a restart', async () => {
		await workflow.stop();
		await workflow.start();
		await change(TWO);
		expect(workflow.subjects.at(-1)).toMatch(MISSING);
		expect(hoursIn(workflow.subjects.at(-1)!)).toBe(5);
		workflow.expectTold(/in the register, because psc\.added was not chosen/);

		await change({ ...TWO, options: { checkEvery: 'day' } });
		expect(workflow.subjects.at(-1)).toBe('58 companies are watched');
	});

	it('may be missing beside all others, which were missing for a shorter time', async () => {
		await workflow.unpublish();
		passTime(HOUR);
		workflow.setup.parameters = TWO;
		await workflow.publish();
		workflow.expectTold(/because the workflow was not published and psc\.added was not chosen/);
	});

	it('is not missing where only a publish that failed has chosen it, or has given it up', async () => {
		await workflow.unpublish();
		simulator.fault({ times: Infinity, action: { status: 401 } });
		for (const parameters of [TWO, { ...TWO, options: { additionalEvents: 'status.changed' } }]) {
			workflow.setup.parameters = parameters;
			await expect(workflow.publish()).rejects.toThrow();
		}
		simulator.clearFaults();
		workflow.setup.parameters = table(COMPANIES);
		await workflow.publish();
		expect(workflow.subjects.at(-1)).toMatch(
			/^Events may be missing for 58 companies (around|between) [^;]*$/,
		);
		expect(hoursIn(workflow.subjects.at(-1)!)).not.toBe(5);
		await change({ ...table(COMPANIES), options: { additionalEvents: 'status.changed' } });
		expect(workflow.subjects.at(-1)).toBe('58 companies are watched');
	});

	it('may be missing from the beginning on, also where a publish has failed meanwhile', async () => {
		await workflow.unpublish();
		simulator.fault({ times: Infinity, action: { status: 401 } });
		workflow.setup.parameters = TWO;
		await expect(workflow.publish()).rejects.toThrow();
		simulator.clearFaults();
		await workflow.publish();
		expect(workflow.subjects.at(-1)).toMatch(MISSING);
		expect(hoursIn(workflow.subjects.at(-1)!)).toBe(5);
	});
});

describe('deliveries that are refused', () => {
	const scheme = { header: 'x-other', content: '{body}' };
	const WRONG = { ...table(COMPANIES), options: { signature: { scheme } } };
	const REFUSED = /because deliveries were refused/;

	/** A delivery that is signed in a common format now. */
	const signed = (company: string) => {
		const webhook = simulator.webhooks().find((one) => one.company_number === company)!;
		const ref = new URL(webhook.url).searchParams.get('ref');
		const rawBody = Buffer.from('{}');
		const headers = signedFor(webhook, COMMON_FORMAT, rawBody, randomUUID());
		return { headers, query: { ref }, rawBody };
	};
	/** n8n shows some of those that are refused as failed executions of their own. */
	const send = async (delivery: DeliveredRequest) =>
		await exchange(workflow.load(), delivery).catch(() => undefined);
	const deliver = async (company: string) => await send(signed(company));

	it('are told with their times at the next check, also of companies that were verified before', async () => {
		await deliver(COMPANIES[0]);
		await change(WRONG);
		for (const company of COMPANIES.slice(0, 8)) await deliver(company);
		await workflow.later();
		workflow.expectTold(/^Events may be missing for 8 companies around .* deliveries were refused/);
		workflow.executions.splice(0);
		await change(table(COMPANIES));
		await deliver(COMPANIES[0]);
		await workflow.later();
		expect([workflow.told, workflow.subjects]).toEqual([[], ['58 companies are watched']]);
	});

	it('are told twice a day at most, also of many companies, and the rest as n8n ends', async () => {
		await change(WRONG);
		for (let hour = 0; hour < 6; hour++) {
			for (const company of COMPANIES.slice(hour, hour + 25)) await deliver(company);
			await workflow.later();
		}
		expect(workflow.told).toHaveLength(2);
		await workflow.stop();
		expect(workflow.told.at(-1)).toMatch(/^Events may be missing for 28 companies /);
	});

	it('are told twice a day at most, also where other checks find none', async () => {
		await change(WRONG);
		for (let hour = 0; hour < 6; hour++) {
			await deliver(COMPANIES[0]);
			await workflow.later();
			await workflow.later();
		}
		expect(workflow.told).toHaveLength(2);
	});

	it('are told where n8n ends before the next check', async () => {
		await change(WRONG);
		await deliver(COMPANIES[0]);
		await workflow.stop();
		workflow.expectTold(REFUSED);
	});

	it('are told twice a day at most, and the rest a day later', async () => {
		await change(WRONG);
		for (let hour = 0; hour < 10; hour++) {
			await deliver(COMPANIES[hour]);
			await workflow.later();
		}
		expect(workflow.told).toHaveLength(2);
		await workflow.later(20 * HOUR);
		expect(workflow.told.at(-1)).toMatch(/^Events may be missing for 8 companies/);
	});

	it('are told although later ones are verified again, because the clock is right again', async () => {
		const five = COMPANIES.slice(0, 5);
		for (const company of five) await deliver(company);
		const late = five.map(signed);
		passTime(HOUR);
		for (const delivery of late) await send(delivery);
		for (const company of five) await deliver(company);
		await workflow.later();
		workflow.expectTold(/^Events may be missing for 5 companies around .* deliveries were refused/);
	});

	it('are told each day, also of companies that had no delivery before', async () => {
		for (const company of COMPANIES.slice(0, 7)) await deliver(company);
		for (const company of COMPANIES.slice(10, 15)) {
			await send({ ...signed(company), headers: {} });
			await workflow.later(25 * HOUR);
			expect(workflow.told.at(-1)).toContain(company);
		}
		expect(workflow.told).toHaveLength(5);
	});

	it('are told of a company that has left the link at the same check, or the list', async () => {
		await change(WRONG);
		await deliver(COMPANIES[0]);
		await change(table(COMPANIES.slice(1)));
		workflow.expectTold(/^Events may be missing for 1 company /);
	});
});

it('a new event that the service refuses is no gap once it is no longer chosen', async () => {
	simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 422 } });
	await change({ ...table(COMPANIES), options: { additionalEvents: 'company.staus' } });
	simulator.clearFaults();
	expect(workflow.subjects.at(-1)).toBe('58 of 58 companies are not watched');
	await workflow.later();
	workflow.executions.splice(0);
	await change(table(COMPANIES));
	expect(workflow.subjects).toEqual(['58 companies are watched: 1 event no longer chosen']);
});

it('the key of another account after a day of failures is a gap of that day', async () => {
	simulator.drift('remove');
	simulator.fault({ times: Infinity, action: { status: 401 } });
	for (let hour = 0; hour < 12; hour++) await workflow.later();
	simulator.clearFaults();
	const { companyRegistryApi } = workflow.setup.credentials!;
	Object.assign(companyRegistryApi, { apiKey: simulator.addAccount().apiKey });
	await change(table(COMPANIES));
	expect(workflow.subjects.at(-1)).toMatch(/^Events may be missing for 58 companies between /);
	expect(hoursIn(workflow.subjects.at(-1)!)).toBeGreaterThanOrEqual(11);
});

it('settings for signatures that cannot be used are a gap until they are corrected', async () => {
	const scheme = { header: 'x-seal', content: '{bdy}' };
	await change({ ...table(COMPANIES), options: { signature: { scheme } } });
	await workflow.later();
	workflow.expectTold(
		/^All deliveries are refused since \S+: could not read this trigger's settings; events may be missing for 58 companies /,
	);
	await workflow.later(4 * HOUR);
	await change(table(COMPANIES));
	expect(workflow.subjects.at(-1)).toMatch(/^Events may be missing for 58 companies between /);
	expect(hoursIn(workflow.subjects.at(-1)!)).toBe(5);
	expect(workflow.shown.at(-1)?.summary).toContain('because deliveries could not be verified');
});

it('settings for signatures that cannot be used are told once a day, and with their beginning, although n8n restarts', async () => {
	const scheme = { header: 'x-seal', content: '{bdy}' };
	await change({ ...table(COMPANIES), options: { signature: { scheme } } });
	for (let restart = 0; restart < 3; restart++) {
		passTime(HOUR);
		await workflow.stop();
		await workflow.start();
	}
	expect(workflow.told).toHaveLength(1);
	await change(table(COMPANIES));
	expect(hoursIn(workflow.subjects.at(-1)!)).toBe(3);
});

it('the key of a larger account after a quota is no gap', async () => {
	simulator.fault({ method: 'POST', times: Infinity, action: { status: 403 } });
	await change(table(companyNumbers(98)));
	for (let day = 0; day < 2; day++) await workflow.later(25 * HOUR);
	simulator.clearFaults();
	const { companyRegistryApi } = workflow.setup.credentials!;
	Object.assign(companyRegistryApi, { apiKey: simulator.addAccount().apiKey });
	await change(table(companyNumbers(98)));
	expect(workflow.subjects.at(-1)).toMatch(/^98 companies are watched/);
});

it('events that are no longer chosen are told although the list cannot be read', async () => {
	await change({ ...table(COMPANIES), events: ['filing.new', 'psc.added', 'watch.report'] });
	const wrongSheet = watching(['Client\tTown', 'Acme\tYork'], {
		events: ['psc.added', 'watch.report'],
	});
	await change(wrongSheet);
	expect(workflow.subjects.at(-1)).toMatch(
		/^Could not read this trigger's settings .*; 1 event no longer chosen$/,
	);
	passTime(5 * HOUR);
	await change({ ...table(COMPANIES), events: ['filing.new', 'psc.added', 'watch.report'] });
	expect(workflow.subjects.at(-1)).toMatch(/^Events may be missing for 58 companies between /);
});

describe('events of webhooks', () => {
	const PSC = { ...table(COMPANIES), events: ['filing.new', 'psc.added', 'watch.report'] };

	it('that someone has added before they were chosen are called no change by others', async () => {
		simulator.drift({ events: ['filing.new', 'psc.added'] }, COMPANIES);
		await change(PSC);
		await workflow.later();
		expect(workflow.shown.map(({ summary }) => summary).join()).not.toContain('Someone');
		expect(workflow.told).toEqual([]);
	});

	it('that the list does not show are sent again after a lost answer', async () => {
		const ab = { ...table(COMPANIES), options: { additionalEvents: 'a.b' } };
		await change(ab);
		const lost = { method: 'PATCH', times: 3, action: 'dropAfter' } as const;
		simulator.fault(lost);
		await change(table(COMPANIES));
		await change(ab);
		expect(simulator.webhooks().every(({ events }) => events.includes('a.b'))).toBe(true);
	});
});
