// What a preview says first is what the publish then does, or what the trigger has met before.
import type { INodeParameters } from 'n8n-workflow';

import { sampleItems } from '../../../nodes/CompanyRegistry/trigger/samples/sampleItems';
import { failureOf, serviceForEachTest } from '../../support/atService';
import { COMPANIES, nameOf, table, watchClients } from '../../support/clientList';
import { hookContext } from '../../support/contexts';
import type { SavedWorkflow } from '../../support/savedWorkflow';
import { HOUR, passTime } from '../../support/times';

jest.setTimeout(60_000);

const [FIRST] = COMPANIES;
const NAMES = COMPANIES.map(nameOf);
const TEN = COMPANIES.slice(0, 10);
const KEY_REFUSED = { times: Infinity, action: { status: 401 } };
const FAILED = 'Publishing will watch 58 companies: the last publish failed';

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;
beforeEach(async () => {
	workflow = await watchClients(simulator);
});

/** Publishes a change. @returns the red message */
const change = async (parameters: INodeParameters, more = {}) =>
	await failureOf(workflow.change({ parameters, ...more }));
const samplesOf = async (parameters = workflow.setup.parameters) => {
	workflow.setup.parameters = parameters;
	return await sampleItems(hookContext(workflow.load(), { isTest: true }));
};
const previewOf = async (parameters?: INodeParameters) => {
	const [item] = await samplesOf(parameters);
	return item.json.preview as string[];
};
const last = () => workflow.shown.at(-1)!;

it('names a publish that failed, until one succeeds', async () => {
	await workflow.unpublish();
	passTime(HOUR);
	simulator.fault(KEY_REFUSED);
	expect(await failureOf(workflow.publish())).toMatch(/^No company is watched\. .*API key/);
	expect(await previewOf()).toEqual([FAILED]);

	simulator.clearFaults();
	await workflow.publish();
	expect(await previewOf()).toEqual(['Publishing will watch 58 companies']);
});

it('names checks that fail, also once the trigger is unpublished', async () => {
	simulator.fault(KEY_REFUSED);
	await workflow.later();
	workflow.expectTold(/^Could not check since /);
	const failing = expect.stringMatching(
		/^Publishing will watch 58 companies: checks have failed since /,
	);
	expect(await previewOf()).toEqual([failing]);
	await workflow.unpublish();
	expect(await previewOf()).toEqual([failing]);
});

it('repeats no advice that fails while no check succeeds', async () => {
	await change(table(TEN));
	simulator.fault(KEY_REFUSED);
	await workflow.later();
	const later = 'Once the trigger can check again, its report says how to end them';
	expect(last().summary).toContain(later);
	expect(await previewOf()).toContain(later);
});

describe('with Always Output Data', () => {
	const node = { alwaysOutputData: true };
	beforeEach(() => {
		workflow.setup.node = node;
	});

	it('says that a publish ends removed companies, and does no more', async () => {
		const fewer = table(COMPANIES.slice(2));
		const [verdict, reason] = await previewOf(fewer);
		expect(verdict).toBe('Publishing will only end 2 companies');
		expect(reason).toMatch(/^'Always Output Data' is on/);
		expect(await change(fewer, { node })).toBe('It did not fail');
		expect(last().summary).toContain('No longer on your list, so their events start nothing');
	});

	it('says that the publish of an unpublished trigger fails', async () => {
		await workflow.unpublish();
		passTime(HOUR);
		expect(await previewOf()).toEqual(['Publishing will fail', expect.any(String)]);
		expect(await failureOf(workflow.publish())).toMatch(/^No company is watched/);
	});
});

describe('has each company under one heading, and counts as the report does', () => {
	it('kept companies that are not watched', async () => {
		await change(table(TEN));
		simulator.drift('remove', COMPANIES.slice(20, 25));
		simulator.refuse(COMPANIES.slice(20, 25));
		await workflow.later();
		expect(workflow.subjects.at(-1)).toBe('5 of 58 companies are not watched');
		const kept = '43 companies left your list: they stay watched until you confirm';
		expect(last().summary).toContain(kept);
		expect((await previewOf())[0]).toBe(`5 refused when last tried; ${kept}`);
	});

	it('a company that an unreadable row keeps, and that the service refuses', async () => {
		await change(table(['#REF!', ...COMPANIES.slice(1)], NAMES));
		simulator.drift('remove', [FIRST]);
		simulator.refuse([FIRST]);
		await workflow.later();
		const named = (await previewOf()).filter((line) => line.includes(`: ${FIRST}`));
		expect(named).toEqual([expect.stringMatching(/^Refused/)]);
	});

	it('companies that were never watched, because the service failed', async () => {
		simulator.fault({ method: 'POST', times: Infinity, action: { status: 503 } });
		await change(table([...COMPANIES, '30000001', '30000002']));
		expect(workflow.subjects.at(-1)).toBe('2 of 60 companies are not watched');
		const [verdict] = await previewOf(table(COMPANIES));
		expect(verdict).toMatch(/^Publishing will watch 58 companies: checks have failed since \S+$/);
		await change(table(COMPANIES));
		expect([workflow.subjects.at(-1), last().removed.count]).toEqual([
			'58 companies are watched',
			0,
		]);
	});
});

it('its sample of Watch Report has the same counts', async () => {
	simulator.drift('remove', COMPANIES.slice(0, 2));
	simulator.refuse(COMPANIES.slice(0, 2));
	await workflow.later();
	const report = (await samplesOf()).at(-1)!.json;
	expect(report.subject).toContain('2 refused when last tried');
	expect(report.payload).toMatchObject({ state: 'incomplete', watched: 56, left: { count: 2 } });
});

describe('where an earlier number is back', () => {
	const WRONG = '10000091';
	const slipped = table([WRONG, ...COMPANIES.slice(1)], NAMES);
	beforeEach(async () => {
		await change(slipped);
		expect(workflow.subjects.at(-1)).toBe('1 company has another number now: check it');
	});

	it('names the other one, which ends, as the report does', async () => {
		const ends = 'These end, because their names have the earlier numbers again:';
		expect(await previewOf(table(COMPANIES))).toEqual([
			'Publishing will watch 58 companies',
			`${ends} ${WRONG} ${NAMES[0]}`,
		]);
		await change(table(COMPANIES));
		expect(workflow.subjects.at(-1)).toBe('58 companies are watched');
		expect(last().summary).toContain(`${ends}\n- ${WRONG} ${NAMES[0]}`);
		expect(simulator.watched()).toEqual(COMPANIES);
	});

	it('ends no company while a row cannot be read', async () => {
		const unread = table([...COMPANIES.slice(0, -1), '#REF!'], NAMES);
		expect((await previewOf(unread))[0]).toBe(
			'Publishing will watch 59 companies: 1 changed number, 1 row not read',
		);
		await change(unread);
		expect(workflow.subjects.at(-1)).toBe('1 company has another number now: check it');
		expect(simulator.watched()).toContain(WRONG);
	});
});

describe('events that are no longer chosen', () => {
	const line = 'Events that are no longer chosen:';
	const fewer = { ...table(COMPANIES), events: ['filing.new', 'watch.report'] };
	const MISSING =
		/^Events may be missing for 58 companies between \S+ and \S+; 1 event no longer chosen$/;

	beforeEach(async () => {
		await change({ ...table(COMPANIES), events: ['filing.new', 'psc.added', 'watch.report'] });
	});

	it('are named, as the report does, once', async () => {
		expect(await previewOf(fewer)).toEqual([
			'Publishing will watch 58 companies: 1 event no longer chosen',
			`${line} psc.added`,
		]);
		await change(fewer);
		expect(workflow.subjects.at(-1)).toBe('58 companies are watched: 1 event no longer chosen');
		expect(last().summary).toContain(`${line}\n- psc.added`);
		await change(fewer);
		expect(workflow.subjects.at(-1)).toBe('58 companies are watched');
		await workflow.start();
		expect(last().summary).not.toContain(line);
	});

	it('are named behind a gap, also where a publish has failed between', async () => {
		await workflow.unpublish();
		passTime(HOUR);
		workflow.setup.parameters = fewer;
		simulator.fault(KEY_REFUSED);
		await failureOf(workflow.publish());
		simulator.clearFaults();
		expect(await previewOf()).toContain(`${line} psc.added`);
		await workflow.publish();
		expect(workflow.subjects.at(-1)).toMatch(MISSING);
	});

	it('are not named again for the webhooks of companies that left before', async () => {
		const list = table(COMPANIES.slice(1));
		await change({ ...list, events: ['filing.new', 'psc.added', 'watch.report'] });
		await change(list);
		expect(workflow.subjects.at(-1)).toMatch(/1 event no longer chosen$/);
		await workflow.stop();
		await workflow.start();
		expect(workflow.subjects.at(-1)).not.toContain('chosen');
		await workflow.unpublish();
		await workflow.restart();
		await workflow.publish();
		expect(workflow.subjects.at(-1)).not.toContain('chosen');
	});

	it('are named after n8n has restarted while the trigger was not published', async () => {
		await workflow.unpublish();
		passTime(HOUR);
		await workflow.restart();
		workflow.setup.parameters = fewer;
		await workflow.publish();
		expect(workflow.subjects.at(-1)).toMatch(MISSING);
	});
});

it('names a number in several rows with different names, as the report does', async () => {
	const copied = table([...COMPANIES, FIRST], [...NAMES, 'Kite Ltd']);
	const line = `${FIRST}: ${NAMES[0]}, Kite Ltd`;
	expect(await previewOf(copied)).toEqual([
		'Publishing will watch 58 companies: 1 number has several names',
		`Several names: ${line}`,
		'Repeated: row 60 repeats row 2',
	]);
	await change(copied);
	workflow.expectTold(/^58 companies are watched; 1 number has several names /);
	expect(last().summary).toContain(`Correct the numbers or the names:\n- ${line}`);
});

it('keeps the names of the list where several rows were copied, and changed numbers with them', async () => {
	const [second, third] = COMPANIES.slice(1);
	const copied = table(
		[...COMPANIES.slice(0, -1), '10000091', FIRST, second, third],
		[...NAMES, 'Kite Ltd', 'Lark Ltd', 'Mole Ltd'],
	);
	expect((await previewOf(copied))[0]).toBe(
		'Publishing will watch 59 companies: 1 changed number, 3 numbers have several names',
	);
	await change(copied);
	expect(workflow.subjects.at(-1)).toBe('1 company has another number now: check it');
	expect(simulator.watched()).toEqual([...COMPANIES, '10000091']);
});

it('names all companies as not watched where the service has lost more than a check asks about', async () => {
	simulator.drift('remove');
	await workflow.later();
	expect((await previewOf(table(COMPANIES)))[0]).toMatch(
		/^Publishing will watch 58 companies: checks have failed since \S+, 58 not watched now$/,
	);
});

it('names events that are no longer chosen behind a list that is mostly gone', async () => {
	await change({ ...table(COMPANIES), events: ['filing.new', 'psc.added', 'watch.report'] });
	const gone = { ...table(COMPANIES.slice(0, 10)), events: ['filing.new', 'watch.report'] };
	const words =
		'48 companies left your list: they stay watched until you confirm; 1 event no longer chosen';
	expect((await previewOf(gone))[0]).toBe(words);
	await change(gone);
	expect(workflow.subjects.at(-1)).toBe(words);
});
