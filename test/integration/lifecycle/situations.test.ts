// What a user is told, row by row as in the table of situations. No other test asserts these words.
import type { INodeParameters } from 'n8n-workflow';

import { failureOf, PAUSES, serviceForEachTest } from '../../support/atService';
import { captureLog, warnings } from '../../support/logCapture';
import { companyNumbers, watch, type SavedWorkflow } from '../../support/savedWorkflow';
import { startPublishedTrigger, type PublishedTrigger } from '../../support/triggerHarness';
import { HOUR, MINUTE, passTime, setTimes } from '../../support/times';

const DAY = 24 * HOUR;
const FIVE = companyNumbers(5);
const TEN = companyNumbers(10);
const TIME = '\\d\\d:\\d\\d';
const EVENTS = ['filing.new', 'watch.report'];

const simulator = serviceForEachTest();

beforeEach(() => setTimes({}));

/** A table of these companies, each with a name, and other rows below. */
function table(companies: string[], ...more: string[]): string {
	const rows = companies.map((company) => `${company}\tClient ${company} Ltd`);
	return ['Company number\tName', ...rows, ...more].join('\n');
}

function listing(companies: string[], ...more: string[]): INodeParameters {
	return { companiesFrom: 'numbers', companyNumbers: table(companies, ...more), events: EVENTS };
}

function watcher(parameters: INodeParameters): SavedWorkflow {
	const workflow = watch(simulator, [], { parameters });
	warnings(workflow);
	return workflow;
}

/** A published trigger, after the item of its publish. */
async function published(companies: string[], more: INodeParameters = {}): Promise<SavedWorkflow> {
	const workflow = watcher({ ...listing(companies), ...more });
	await workflow.publish();
	workflow.executions.length = 0;
	return workflow;
}

/** The same without *Watch Report*: a problem is a failed execution. */
async function withoutReports(companies: string[], more: INodeParameters = {}) {
	return await published(companies, { events: ['filing.new'], ...more });
}

const latest = ({ subjects }: SavedWorkflow) => subjects.at(-1) ?? '';
const matching = (words: string) => new RegExp(`^${words.replaceAll('TIME', TIME)}$`);

it('row 1: the first publish of a clean list', async () => {
	const workflow = watcher(listing(FIVE));
	await workflow.publish();
	expect(workflow.subjects).toEqual(['5 companies are watched']);
	expect(workflow.told).toEqual([]);
});

describe('row 2: rows that cannot be read, and companies that the service refuses', () => {
	it('all others are watched, at the first publish as well', async () => {
		simulator.refuse([FIVE[0]]);
		const workflow = watcher(listing(FIVE, '1234567X\tTypo Ltd', 'sole trader\tJane Doe'));
		await workflow.publish();
		expect(workflow.subjects).toEqual(['1 of 5 companies is not watched; 1 row not read']);
		expect(simulator.watched()).toEqual(FIVE.slice(1));
	});

	it('without Watch Report, once, again when its facts change, and each day', async () => {
		simulator.refuse([FIVE[0]]);
		const workflow = watcher({ ...listing(FIVE), events: ['filing.new'] });
		await workflow.publish();
		workflow.expectTold(/^1 of 5 companies is not watched/);
		await workflow.later();
		expect(workflow.told).toHaveLength(1);
		await workflow.later(DAY);
		expect(workflow.told).toHaveLength(2);
		simulator.refuse(['20000001']);
		const parameters = { ...listing([...FIVE, '20000001']), events: ['filing.new'] };
		await workflow.change({ parameters });
		expect(workflow.told).toHaveLength(3);
	});

	it('with Watch Report, each daily repetition is a failed execution as well', async () => {
		simulator.refuse([FIVE[0]]);
		const workflow = watcher(listing(FIVE));
		await workflow.publish();
		expect(workflow.told).toEqual([]);
		await workflow.later(DAY);
		expect(workflow.subjects).toHaveLength(2);
		expect(workflow.told).toHaveLength(1);
	});

	it('rows that look mistyped are told once, and again when a cell changes', async () => {
		const workflow = watcher(listing(FIVE, '1234567X\tTypo Ltd'));
		await workflow.publish();
		expect(workflow.subjects).toEqual(['5 companies are watched; 1 row not read']);
		const longer = [...FIVE, '10000006'];
		await workflow.change({ parameters: listing(longer, '1234567X\tTypo Ltd') });
		expect(latest(workflow)).toBe('6 companies are watched: 1 added');
		await workflow.change({ parameters: listing(longer, '1234567Y\tTypo Ltd') });
		expect(latest(workflow)).toBe('6 companies are watched; 1 row not read');
	});

	it('a row without a digit is information', async () => {
		const workflow = watcher(listing(FIVE, 'sole trader\tJane Doe', '\tTotal'));
		await workflow.publish();
		expect(workflow.subjects).toEqual(['5 companies are watched']);
		expect(workflow.shown[0].summary).toContain('Jane Doe');
	});

	it('where more rows look mistyped than were read, the list cannot be read', async () => {
		const workflow = watcher(listing([FIVE[0]], '1234567X\tA Ltd', '7654321Y\tB Ltd'));
		expect(await failureOf(workflow.publish())).toMatch(/^This workflow watches no company yet\./);
	});
});

describe('row 3: a publish after which no webhook would deliver here', () => {
	it.each([
		['the key is refused', () => simulator.fault({ times: Infinity, action: { status: 401 } })],
		['the service is down', () => simulator.fault({ times: Infinity, action: { status: 500 } })],
		['all are refused', () => simulator.refuse(FIVE)],
	])('%s', async (_name, arrange) => {
		arrange();
		const workflow = watcher(listing(FIVE));
		expect(await failureOf(workflow.publish())).toMatch(
			/^This workflow watches no company yet\. ./,
		);
		expect(workflow.executions).toEqual([]);
	});

	it('n8n has no https address', async () => {
		const workflow = watcher(listing(FIVE));
		workflow.setup.webhookBaseUrl = 'http://n8n.example.com/webhook';
		expect(await failureOf(workflow.publish())).toMatch(/N8N_WEBHOOK_URL/);
	});

	it('the service is down at a later publish', async () => {
		const workflow = await published(FIVE);
		await workflow.unpublish();
		simulator.fault({ times: Infinity, action: { status: 500 } });
		expect(await failureOf(workflow.publish())).toMatch(/^No company is watched\. ./);
	});
});

it('row 4: a long setup is answered early, and the report comes at its end', async () => {
	setTimes({ earlyAnswer: 100 });
	simulator.latencyMs = 20;
	const companies = companyNumbers(100);
	const workflow = watcher(listing(companies));
	await workflow.register();
	expect(simulator.watched().length).toBeLessThan(100);
	expect(workflow.subjects).toEqual([]);
	await workflow.idle();
	expect(workflow.subjects).toEqual(['100 companies are watched']);
});

it('row 5: a weekly change', async () => {
	const workflow = await published(TEN);
	await workflow.change({
		parameters: listing([...TEN.slice(2), '20000001', '20000002', '20000003']),
	});
	expect(workflow.subjects).toEqual(['11 companies are watched: 3 added, 2 removed']);
});

it('row 6: a name has another number', async () => {
	const workflow = await published(FIVE);
	const parameters = listing(FIVE.slice(1), `20000001\tClient ${FIVE[0]} Ltd`);
	await workflow.change({ parameters });
	expect(workflow.subjects).toEqual(['5 companies are watched: 1 changed number']);
	expect(workflow.shown[0].summary).toContain(`${FIVE[0]} → 20000001`);
	expect(simulator.watched()).toEqual([...FIVE.slice(1), '20000001']);
	await workflow.change({ parameters: listing(FIVE.slice(1)) });
	expect(latest(workflow)).toBe('4 companies are watched: 1 removed');
	expect(workflow.shown[1].summary).not.toContain('→');
});

describe('row 7: a later list has fewer than half of the companies', () => {
	const OTHERS = companyNumbers(20).slice(10);

	it('new ones are added and nobody is removed, each day again', async () => {
		const workflow = await published(TEN);
		await workflow.change({ parameters: listing([TEN[0], ...OTHERS]) });
		expect(workflow.subjects).toEqual(['9 companies left your list and stay watched']);
		expect(simulator.watched()).toEqual([...TEN, ...OTHERS]);
		await workflow.later(DAY);
		expect(workflow.subjects).toHaveLength(2);
		expect(workflow.told).toHaveLength(1);
	});

	it('a later list with at least half of them is applied', async () => {
		const workflow = await published(TEN);
		await workflow.change({ parameters: listing([TEN[0], ...OTHERS]) });
		await workflow.change({ parameters: listing(TEN.slice(1)) });
		expect(latest(workflow)).toBe('9 companies are watched: 11 removed');
		expect(simulator.watched()).toEqual(TEN.slice(1));
	});

	it('a publish with Allow Large Removals on removes them, and says that it is on', async () => {
		const workflow = await published(TEN);
		const options = { allowLargeRemovals: true };
		await workflow.change({ parameters: { ...listing([TEN[0], ...OTHERS]), options } });
		expect(workflow.subjects).toEqual(['11 companies are watched: 10 added, 9 removed']);
		expect(workflow.shown[0].summary).toContain("'Allow Large Removals' is on");
	});
});

describe('row 8: a later list has a row that looks mistyped', () => {
	it('with a name, the company of that name is not removed', async () => {
		const workflow = await published(FIVE);
		const [typo, gone, ...others] = FIVE;
		await workflow.change({ parameters: listing(others, `#REF!\tClient ${typo} Ltd`) });
		expect(latest(workflow)).toBe(
			'4 companies are watched; 1 row not read, so 1 company was not removed; 1 removed',
		);
		expect(simulator.watched()).toEqual([typo, ...others]);
		expect(simulator.watched()).not.toContain(gone);
	});

	it('without a name, nobody is removed', async () => {
		const workflow = await published(FIVE);
		await workflow.change({ parameters: listing(FIVE.slice(1), '1234567X\t') });
		expect(latest(workflow)).toBe(
			'5 companies are watched; 1 row not read, so 1 company was not removed',
		);
		expect(simulator.watched()).toEqual(FIVE);
	});
});

it.each([
	["this trigger's settings", '={{ nothing( }}'],
	['your list', 'sole trader'],
])('row 9: %s cannot be read, and its end', async (what, companyNumbers) => {
	const workflow = await published(FIVE);
	await workflow.change({ parameters: { ...listing(FIVE), companyNumbers } });
	expect(latest(workflow)).toMatch(
		matching(`Could not read ${what} since TIME; 5 companies are watched as before`),
	);
	await workflow.change({ parameters: listing(FIVE) });
	expect(latest(workflow)).toBe(
		'Over: your list and settings can be read again, 5 companies are watched',
	);
	expect(workflow.told).toEqual([]);
});

describe('row 10: checks fail', () => {
	const COULD_NOT = matching('Could not check since TIME \\(last seen: 5 of 5 watched\\)');

	it('a revoked key is told at once, and its end once', async () => {
		const workflow = await published(FIVE);
		simulator.fault({ times: Infinity, action: { status: 401 } });
		await workflow.later();
		expect(latest(workflow)).toMatch(COULD_NOT);
		expect(workflow.shown[0].summary).toContain('still deliver');
		await workflow.later();
		expect(workflow.subjects).toHaveLength(1);
		simulator.clearFaults();
		await workflow.later();
		expect(latest(workflow)).toBe('Over: checks work again, 5 companies are watched');
		await workflow.later();
		expect(workflow.subjects).toHaveLength(2);
	});

	it('its end stands in the text where something worse leads', async () => {
		const workflow = await published(FIVE);
		simulator.fault({ times: Infinity, action: { status: 401 } });
		await workflow.later();
		simulator.clearFaults();
		simulator.drift({ is_active: false }, [FIVE[0]]);
		await workflow.later();
		expect(latest(workflow)).toMatch(/^Events may be missing for 1 company/);
		expect(workflow.shown.at(-1)?.summary).toContain('Over: checks work again.');
	});

	it('a service that is down is told after ten minutes', async () => {
		setTimes({ beforeReport: 10 * MINUTE });
		const workflow = await published(FIVE);
		simulator.fault({ times: Infinity, action: { status: 500 } });
		await workflow.later();
		expect(workflow.subjects).toEqual([]);
		await workflow.later(11 * MINUTE);
		expect(latest(workflow)).toMatch(COULD_NOT);
	});
});

describe('row 11: someone else changes webhooks', () => {
	it.each([
		['paused', { is_active: false }],
		['changed', { events: ['psc.added'] }],
		['redirected', { url: 'https://elsewhere.example.com/' }],
		['removed', 'remove' as const],
	])('%s: repaired at the next check, however short it was', async (_how, change) => {
		const workflow = await published(FIVE);
		await workflow.later(10 * MINUTE);
		const targets = () => simulator.active().map(({ url, events }) => [url.split('?')[0], events]);
		const before = targets();
		simulator.drift(change, FIVE.slice(0, 3));
		simulator.listWithUrls();
		await workflow.later();
		expect(simulator.watched()).toEqual(FIVE);
		expect(targets()).toEqual(before);
		expect(latest(workflow)).toMatch(
			matching('Events may be missing for 3 companies between TIME and TIME'),
		);
		expect(workflow.shown[0].summary).toContain(`/company/${FIVE[0]}/filing-history`);
	});

	it('once a day for the same companies, and then its whole time', async () => {
		const workflow = await withoutReports(FIVE);
		for (let hour = 0; hour < 5; hour++) {
			simulator.drift({ is_active: false }, [FIVE[0]]);
			await workflow.later();
		}
		expect(workflow.told).toHaveLength(1);
		await workflow.later(DAY);
		expect(workflow.told).toHaveLength(2);
	});
});

describe('row 12: n8n was off, or the trigger unpublished, for five minutes or more', () => {
	it('n8n was stopped', async () => {
		const workflow = await withoutReports(FIVE);
		await workflow.stop();
		passTime(20 * MINUTE);
		await workflow.start();
		workflow.expectTold(
			new RegExp(`^Events may be missing for 5 companies between ${TIME} and ${TIME}`),
		);
		await workflow.later(DAY);
		expect(workflow.told).toHaveLength(1);
	});

	it('n8n ended without notice', async () => {
		const workflow = await withoutReports(FIVE);
		passTime(20 * MINUTE);
		await workflow.start();
		workflow.expectTold(
			new RegExp(
				`^Events may be missing for 5 companies before ${TIME}, because n8n ended without notice`,
			),
		);
	});

	it('n8n ended without notice, and stops once more before a check has succeeded', async () => {
		setTimes({ beforeReport: 10 * MINUTE });
		const workflow = await published(FIVE);
		simulator.fault({ times: Infinity, action: { status: 500 } });
		passTime(20 * MINUTE);
		await workflow.start();
		simulator.clearFaults();
		await workflow.stop();
		passTime(2 * MINUTE);
		await workflow.start();
		expect(latest(workflow)).toMatch(/^Events may be missing for 5 companies before/);
	});

	it('an unpublish is information', async () => {
		const workflow = await published(FIVE);
		await workflow.unpublish();
		passTime(20 * MINUTE);
		await workflow.publish();
		expect(latest(workflow)).toMatch(
			matching('Events may be missing for 5 companies between TIME and TIME'),
		);
		expect(workflow.told).toEqual([]);
	});
});

it('row 13: less than five minutes is nothing of its own', async () => {
	const workflow = await published(FIVE);
	await workflow.stop();
	passTime(2 * MINUTE);
	await workflow.start();
	expect(workflow.executions).toEqual([]);
});

it('row 14: a company is taken off the list and put back', async () => {
	const workflow = await published(FIVE);
	await workflow.change({ parameters: listing(FIVE.slice(1)) });
	passTime(20 * MINUTE);
	await workflow.change({ parameters: listing(FIVE) });
	expect(workflow.told).toEqual([]);
	expect(workflow.shown.at(-1)?.added.count).toBe(1);
	expect(workflow.shown.at(-1)?.missing.companies).toEqual([
		expect.objectContaining({ company_number: FIVE[0] }),
	]);
	expect(simulator.webhooks()).toHaveLength(5);
});

it.each([402, 403, 422])('row 15: a chosen event is refused with %i', async (status) => {
	const workflow = await published(FIVE);
	const body = { error: 'plan', message: 'Not in your plan', status };
	simulator.fault({ method: 'PATCH', times: Infinity, action: { status, body } });
	await workflow.change({ parameters: { ...listing(FIVE), events: [...EVENTS, 'psc.added'] } });
	expect(latest(workflow)).toBe('PSC Added is not set up for 5 companies; 5 companies are watched');
	expect(workflow.shown[0].watched).toBe(5);
	expect(workflow.shown[0].left.count).toBe(0);
});

describe('row 16: deliveries are refused', () => {
	let trigger: PublishedTrigger;

	beforeEach(async () => {
		trigger = await startPublishedTrigger(FIVE[0]);
	});
	afterEach(async () => await trigger.close());

	it.each([
		['as an item of Watch Report', EVENTS],
		['as a failed execution', ['filing.new']],
	])('%s, with the answer to the sender as it should be', async (_how, events) => {
		const executions = trigger.serve({}, { events });
		const answers = [];
		for (let nth = 0; nth < 3; nth++) {
			answers.push(await trigger.deliver({ secret: 'another' }));
		}
		expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
		expect(executions).toHaveLength(1);
		const [[{ json }]] = executions;
		const failure = json.company_registry_failure as { title: string } | undefined;
		expect(failure?.title ?? json.subject).toMatch(
			matching('1 delivery has been refused since TIME'),
		);
	});
});

it('row 17: n8n has another address', async () => {
	const workflow = await published(FIVE);
	await workflow.stop();
	workflow.setup.webhookBaseUrl = 'https://other.example.com/webhook';
	simulator.clearRequests();
	await workflow.start();
	expect(latest(workflow)).toBe(
		"n8n's address has changed: 5 companies still deliver to the earlier one",
	);
	expect(simulator.methods().filter((method) => method !== 'GET')).toEqual([]);
	await workflow.later(DAY);
	expect(workflow.subjects).toHaveLength(2);
});

it('row 18: the key opens another account', async () => {
	const workflow = await published(FIVE);
	const { companyRegistryApi: credential } = workflow.setup.credentials ?? {};
	credential.apiKey = simulator.addAccount().apiKey;
	await workflow.later();
	expect(workflow.subjects).toEqual([
		'5 companies are watched; 5 earlier webhooks may still be active elsewhere',
	]);
	await workflow.later(DAY);
	expect(workflow.subjects).toHaveLength(1);
});

it('row 19: companies have another active webhook in the account', async () => {
	const other = await published(FIVE.slice(0, 2));
	const workflow = watcher(listing(FIVE));
	await workflow.publish();
	expect(workflow.subjects).toEqual(['5 companies are watched; 2 have another active webhook']);
	expect(simulator.watched()).toHaveLength(7);
	await workflow.later(DAY);
	expect(workflow.subjects).toHaveLength(1);
	expect(other.subjects).toEqual([]);

	// A kill makes it a new problem.
	const { others: before = 0 } = workflow.state()?.facts.reportedAt ?? {};
	passTime(HOUR);
	await workflow.start();
	expect(workflow.state()?.facts.reportedAt?.others).toBeGreaterThan(before);
});

it('row 20: a check is due while n8n has no credential', async () => {
	const workflow = await published(FIVE);
	Reflect.deleteProperty(workflow.setup.credentials ?? {}, 'companyRegistryApi');
	await workflow.later();
	expect(latest(workflow)).toMatch(
		matching('Could not check since TIME \\(last seen: 5 of 5 watched\\)'),
	);
});

it('row 21: a check that finds all as it should be costs one GET and leaves no trace', async () => {
	const workflow = await published(FIVE);
	await workflow.later();
	simulator.clearRequests();
	const { stores } = workflow;
	await workflow.later();
	expect(simulator.methods()).toEqual(['GET']);
	expect([workflow.executions, workflow.stores]).toEqual([[], stores]);
});

it('row 22: an unpublish pauses, and the log names what stays active', async () => {
	const workflow = await published(FIVE);
	const loaded = workflow.load();
	const log = captureLog(loaded);
	const webhook = simulator.webhooks()[0];
	const isFirst = ({ path }: { path: string }) => path.endsWith(webhook.id);
	simulator.fault({
		...PAUSES,
		when: (request) => PAUSES.when(request) && isFirst(request as never),
		times: Infinity,
		action: { status: 422 },
	});
	await workflow.unpublish(loaded);
	expect(simulator.watched()).toHaveLength(1);
	expect(log.join('\n')).toContain(`1 webhook could not be paused and may stay active`);
});

describe('several at once', () => {
	it('the worst leads, and a gap and a removal stand behind it where there is room', async () => {
		const workflow = await published(TEN);
		simulator.refuse(['20000001']);
		simulator.drift({ is_active: false }, [TEN[5]]);
		await workflow.change({ parameters: listing([...TEN.slice(1), '20000001']) });
		expect(latest(workflow)).toBe(
			'1 of 10 companies is not watched; events may be missing for 1 company; 1 removed',
		);
	});

	it('where Trigger On is an expression, a problem is a failed execution as well', async () => {
		simulator.refuse([FIVE[0]]);
		const workflow = watcher({ ...listing(FIVE), events: "={{ ['filing.new', 'watch.report'] }}" });
		await workflow.publish();
		expect(workflow.subjects).toHaveLength(1);
		expect(workflow.told).toHaveLength(1);
	});
});
