// A list that has lost most of its companies, or in which one has another number: no one is dropped by accident.
import type { INodeParameters } from 'n8n-workflow';

import { failureOf, PAUSES, serviceForEachTest } from '../../support/atService';
import { warnings } from '../../support/logCapture';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { setTimes } from '../../support/times';

const SIX = companyNumbers(6);
const LEFT = SIX.slice(0, 2);
const GONE = SIX.slice(2);
const OTHER = '20000001';
const SUCCEEDED = 'It did not fail';

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

/** A table of clients, each with an address. */
function table(companies: string[], names: Record<string, string> = {}): INodeParameters {
	const rows = companies.map((one) => [one, names[one] ?? `Client ${one}`, `a@${one}.uk`]);
	return watching([['Company number', 'Client', 'Email'], ...rows].map((row) => row.join('\t')));
}

beforeEach(async () => {
	setTimes({});
	workflow = watch(simulator, [], { parameters: table(SIX) });
	warnings(workflow);
	await workflow.publish();
	simulator.clearRequests();
});

const change = async (companies: string[], names?: Record<string, string>) =>
	await failureOf(workflow.change({ parameters: table(companies, names) }));
/** The user unpublishes, enters this list and publishes it. */
async function publishAgain(companies: string[]): Promise<void> {
	await workflow.unpublish();
	workflow.setup.parameters = table(companies);
	await workflow.publish();
}

describe('a pasted list that has lost most of its companies', () => {
	const VERDICT = /^4 companies left your list: they stay watched until you confirm[ ;]/;

	it('adds the others and keeps those that have left, which the report names once', async () => {
		expect(await change([...LEFT, OTHER])).toBe(SUCCEEDED);
		expect(simulator.watched()).toEqual([...SIX, OTHER]);
		await workflow.later();
		await workflow.stop();
		await workflow.start();
		await workflow.later();
		workflow.expectTold(VERDICT);
		for (const company of GONE) expect(workflow.told[0]).toContain(`Client ${company}`);
		expect(simulator.requests.filter(PAUSES.when)).toEqual([]);
	});

	it('keeps them whatever the service says then, and while nothing can be paused or read', async () => {
		simulator.drift({ is_active: false });
		simulator.fault({ method: 'PATCH', times: 3, action: { status: 503 } });
		await change(LEFT);
		await workflow.later();
		expect(simulator.watched()).toEqual(SIX);

		await workflow.change({ parameters: watching(['={{ nothing( }}']) });
		await workflow.start();
		expect(simulator.watched()).toEqual(SIX);
		expect(workflow.told.at(-1)).toMatch(
			/as before, 6 of 6 companies are watched .* - 10000003 Client 10000003\b/,
		);
	});

	it('keeps them once more where another list was accepted since they were reported', async () => {
		await change(LEFT);
		setTimes({ earlyAnswer: 100 });
		simulator.latencyMs = 300;
		await workflow.submit({ parameters: table([...SIX, OTHER]) });
		await workflow.unpublish();
		simulator.latencyMs = 0;
		await publishAgain(LEFT);
		expect(workflow.told.at(-1)).toMatch(/^5 companies left your list: they stay watched until /);
		expect(simulator.watched()).toEqual(expect.arrayContaining(SIX));
	});

	it('stores the rows of those that are kept, and marks none of them, for other processes', async () => {
		await change(LEFT);
		const { facts, lines } = workflow.state()!;
		expect(Object.keys(facts.kept ?? {}).sort()).toEqual(GONE);
		expect(facts.kept?.[GONE[0]]).toMatchObject({
			reason: 'shrunk',
			name: `Client ${GONE[0]}`,
			columns: { Client: `Client ${GONE[0]}`, Email: `a@${GONE[0]}.uk` },
		});
		expect(lines).not.toContain('left');
	});

	it('is kept where it is first seen at such a publish, and a second one confirms it', async () => {
		await publishAgain(LEFT);
		expect(simulator.watched()).toEqual(SIX);
		expect(workflow.told.at(-1)).toMatch(VERDICT);
		await publishAgain(LEFT);
		expect(simulator.watched()).toEqual(LEFT);
		await workflow.later();
		await workflow.start();
		expect(simulator.watched()).toEqual(LEFT);
		expect(workflow.told.filter((words) => VERDICT.test(words))).toHaveLength(1);
	});

	it('is not confirmed where the report was that the service could not be asked', async () => {
		simulator.fault({ times: Infinity, action: { status: 401 } });
		await change(LEFT);
		expect(workflow.told.at(-1)).toMatch(/^Could not check .* 4 companies left your list/);
		simulator.clearFaults();
		await publishAgain(LEFT);
		expect(simulator.watched()).toEqual(SIX);
		expect(workflow.told.at(-1)).toMatch(VERDICT);
	});

	it('has drift of those that are kept repaired and told', async () => {
		await change(LEFT);
		simulator.drift({ is_active: false }, GONE.slice(0, 1));
		await workflow.later();
		expect(simulator.watched()).toEqual(SIX);
		expect(workflow.told.slice(1)).toEqual([
			expect.stringMatching(/ - 10000003 Client 10000003: Had been paused; /),
		]);
	});

	it('is not confirmed by a publish that follows a failed one', async () => {
		await change(LEFT);
		workflow.setup.webhookBaseUrl = 'https://moved.example.com/webhook';
		expect(await change(LEFT)).toMatch(/^No company is watched/);
		const options = { addressChanged: 'move' };
		await workflow.change({ parameters: { ...table(LEFT), options } });
		expect(simulator.watched()).toEqual(SIX);
		expect(workflow.told.at(-1)).toMatch(VERDICT);
	});

	it('is not confirmed by a publish that fails', async () => {
		await change(LEFT);
		await workflow.unpublish();
		simulator.fault({ times: Infinity, action: { status: 401 } });
		expect(await failureOf(workflow.publish())).toMatch(/^No company is watched\./);
		simulator.clearFaults();
		await workflow.publish();
		expect(simulator.watched()).toEqual(SIX);
		await publishAgain(LEFT);
		expect(simulator.watched()).toEqual(LEFT);
	});

	it('is not confirmed by another list, by a change or by rows that are added', async () => {
		await change(LEFT);
		await change([...LEFT, OTHER]);
		expect(simulator.watched()).toEqual([...SIX, OTHER]);
		await publishAgain([...LEFT, '20000002']);
		expect(simulator.watched()).toEqual([...SIX, '20000002']);
		await change([...LEFT, ...companyNumbers(16).slice(6)]);
		expect(simulator.watched()).toEqual(expect.arrayContaining(SIX));
	});

	it('counts the companies of the list, not those that are kept', async () => {
		await change(LEFT);
		// One of two is half of a short list.
		await change(LEFT.slice(1));
		expect(simulator.watched()).toEqual(SIX.slice(1));
	});

	it('keeps them where the service refuses all others, which no publish counts as success', async () => {
		simulator.refuse([OTHER]);
		expect(await change([OTHER])).toMatch(/^No company is watched/);
		expect(await change(SIX)).toBe(SUCCEEDED);
		expect(simulator.watched()).toEqual(SIX);
	});
});

it('a company that may have left the list is said to also where its events may be missing', async () => {
	const unread = [...SIX.slice(0, 5), 'n/a'];
	simulator.drift({ is_active: false }, SIX.slice(5));
	await change(unread);
	expect(workflow.told.at(-1)).toMatch(
		/^Events may be missing for 1 company .* - 10000006 Client 10000006: Had been paused \(.*\); may have left your list/,
	);
	await publishAgain(unread);
	expect(simulator.watched()).toEqual(SIX.slice(0, 5));
});

it('with Skip, a company stays watched whose row has its name but no number any more', async () => {
	const options = { unwatchable: 'skip' };
	const broken = ['#REF!', ...SIX.slice(1, 5), ''];
	const names = { '#REF!': 'CLIENT 10000001 LTD', '': 'Somebody else' };
	await workflow.change({
		parameters: { ...table(SIX, { [SIX[0]]: 'Client 10000001 Ltd' }), options },
	});
	await workflow.change({ parameters: { ...table(broken, names), options } });
	expect(simulator.watched()).toEqual(SIX.slice(0, 5));
	expect(workflow.told.at(-1)).toMatch(
		/^5 companies are watched; 1 company may have left your list; 1 removed .* - 10000001 Client 10000001 Ltd/,
	);
});

describe('a changed number', () => {
	const RIGHT = SIX[0];
	const WRONG = '10000091';
	const slip = [WRONG, ...SIX.slice(1)];
	const names = { [RIGHT]: 'Acme Ltd', [WRONG]: 'Acme Ltd' };

	beforeEach(async () => {
		await change(SIX, names);
		await change(slip, names);
	});

	it('of a company that the service refused needs no confirmation', async () => {
		simulator.refuse(['20000002']);
		const kite = { '20000002': 'Kite Ltd', [OTHER]: 'Kite Ltd' };
		await change([...slip, '20000002'], { ...names, ...kite });
		expect(workflow.told.at(-1)).toMatch(/^1 of 8 companies is not watched/);
		const told = workflow.told.length;
		await change([...slip, OTHER], { ...names, ...kite });
		expect(simulator.watched()).toEqual([...SIX, WRONG, OTHER].sort());
		expect(workflow.told.slice(told).join()).not.toContain('20000002');
	});

	it('says how to end the old number once that is not watched any more', async () => {
		simulator.drift('remove', [RIGHT]);
		simulator.refuse([RIGHT]);
		await workflow.later();
		expect(workflow.told.at(-1)).toContain(
			`- ${RIGHT} Acme Ltd: has the number ${WRONG} now; to end it, unpublish and publish this list`,
		);
	});

	it('is confirmed by an unpublish and a publish of the same list', async () => {
		await workflow.unpublish();
		await workflow.publish();
		expect(simulator.watched()).toEqual([...slip].sort());
	});
});

it.each<[string, INodeParameters, () => void]>([
	['the trigger cannot check', table(['#REF!', ...SIX.slice(1)]), () => undefined],
	['its settings cannot be read', watching(['={{ nothing( }}']), () => simulator.clearFaults()],
])('while %s, no one is advised to end what it keeps', async (_why, parameters, clear) => {
	simulator.fault({ times: Infinity, action: { status: 401 } });
	await change(['#REF!', ...SIX.slice(1)], { '#REF!': 'Client 10000001' });
	clear();
	await workflow.change({ parameters });
	expect(workflow.told.at(-1)).toContain('1 company may have left your list');
	expect(workflow.told.at(-1)).not.toContain('unpublish and publish again');
});
