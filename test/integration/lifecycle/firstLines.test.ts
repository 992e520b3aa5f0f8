// What a person reads first hides nothing that is worse, and tells nothing that has not happened.
import { toUpper } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { sampleItems } from '../../../nodes/CompanyRegistry/trigger/samples/sampleItems';
import { failureOf, serviceForEachTest } from '../../support/atService';
import { hookContext } from '../../support/contexts';
import { COMPANIES, nameOf, table, watchClients } from '../../support/clientList';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { HOUR, MINUTE, passTime, setTimes } from '../../support/times';

const TEN = COMPANIES.slice(0, 10);

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(async () => {
	workflow = await watchClients(simulator);
});

const change = async (parameters: INodeParameters) => await workflow.change({ parameters });

async function previewOf(parameters = workflow.setup.parameters): Promise<unknown> {
	workflow.setup.parameters = parameters;
	const [item] = await sampleItems(hookContext(workflow.load(), { isTest: true }));
	return item.json.preview;
}

it('after a publish that failed, the next one reports the gap and who has left, and nothing else', async () => {
	await workflow.unpublish();
	passTime(HOUR);
	simulator.fault({ times: Infinity, action: { status: 401 } });
	expect(await failureOf(workflow.publish())).toMatch(/^No company is watched\. .*API key/);
	await workflow.closeFirst();
	expect(workflow.executions).toEqual([]);

	simulator.clearFaults();
	workflow.setup.parameters = table(COMPANIES.slice(2));
	await workflow.publish();
	expect(workflow.subjects).toEqual([
		expect.stringMatching(
			/^Events may be missing for 56 companies between \S+ and \S+; 2 removed$/,
		),
	]);
	workflow.expectTold(/ Removed: - 10000001 Client 10000001: events may be missing between /);
});

it('a publish that ends most of a list says how many it has ended, also beside a gap', async () => {
	await change(table(TEN));
	await workflow.later(24 * HOUR);
	await workflow.unpublish();
	passTime(5 * MINUTE);
	await workflow.publish();
	expect(workflow.subjects.at(-1)).toMatch(
		/^Events may be missing for 10 companies between \S+ and \S+; 48 removed$/,
	);
});

it('companies that end are counted beside those that are kept', async () => {
	await change(table(COMPANIES.slice(0, 20)));
	const verdict = '38 companies left your list: they stay watched until you confirm; 8 removed';
	expect(await previewOf(table(COMPANIES.slice(0, 12)))).toEqual(
		expect.arrayContaining([verdict, 'Publishing will watch 50 companies: 8 removed']),
	);
	await change(table(COMPANIES.slice(0, 12)));
	expect(workflow.subjects.at(-1)).toBe(verdict);
});

it('names whose numbers were exchanged are a verdict, once a day', async () => {
	const [first, second, ...others] = COMPANIES.map(nameOf);
	const exchanged = [second, first, ...others];
	const verdict = '2 companies have another number now: check them';
	const lines = [`${second}: 10000002 → 10000001`, `${first}: 10000001 → 10000002`];
	expect(await previewOf(table(COMPANIES, exchanged))).toEqual([
		'Publishing will watch 58 companies: 2 changed numbers',
		verdict,
		...lines.map((line) => `Changed number: ${line}`),
	]);

	await change(table(COMPANIES, exchanged));
	await workflow.later(25 * HOUR);
	await workflow.restart();
	await workflow.later();
	expect(workflow.subjects).toEqual([verdict, verdict]);
	expect(workflow.told[0]).toMatch(
		new RegExp(`^${verdict} .*: - ${lines.join(' - ')} 58 companies are watched`),
	);
	expect(simulator.watched()).toEqual(COMPANIES);
});

describe('names whose numbers were exchanged', () => {
	const [first, second, ...others] = COMPANIES.map(nameOf);
	const exchanged = table(COMPANIES, [second, first, ...others]);

	beforeEach(async () => {
		await change(exchanged);
		workflow.executions.splice(0);
	});

	it('are no news once they have their own numbers again', async () => {
		await change(table(COMPANIES));
		await workflow.later();
		expect([workflow.told, workflow.subjects]).toEqual([[], ['58 companies are watched']]);
	});

	it('are no news either where they are written in capitals by then', async () => {
		await change(table(COMPANIES, [first, second, ...others].map(toUpper)));
		expect([workflow.told, workflow.subjects]).toEqual([[], ['58 companies are watched']]);
	});

	it('stay a verdict where they are written in capitals, or are missing for one publish', async () => {
		await change(watching(COMPANIES, { events: ['filing.new', 'watch.report'] }));
		await change(table(COMPANIES, [second, first, ...others].map(toUpper)));
		const verdict = '2 companies have another number now: check them';
		expect(workflow.subjects).toEqual([verdict, verdict]);
	});

	it('are not confirmed with others that were reported', async () => {
		await workflow.unpublish();
		const [third, fourth, ...rest] = others;
		await change(table(COMPANIES, [first, second, fourth, third, ...rest]));
		expect(workflow.subjects.at(-1)).toMatch(/^2 companies have another number now: check them/);
		expect(workflow.shown.at(-1)?.summary).toContain(`${third}: 10000003 → 10000004`);
	});

	it('are confirmed by an unpublish and a publish of that list, and not by another publish', async () => {
		await change({ ...exchanged, options: { checkEvery: 'day' } });
		expect(workflow.subjects.at(-1)).toBe('2 companies have another number now: check them');
		await workflow.unpublish();
		await workflow.publish();
		expect(workflow.subjects.at(-1)).toMatch(/^Events may be missing for 58 companies /);
		await workflow.start();
		expect(workflow.subjects.at(-1)).not.toContain('another number');
	});
});

it('names whose numbers were exchanged are told, also while pauses fail', async () => {
	const [first, second, ...others] = COMPANIES.map(nameOf);
	simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 503 } });
	await change(table(COMPANIES.slice(0, 57), [second, first, ...others.slice(0, 55)]));
	for (let hour = 0; hour < 3; hour++) await workflow.later();
	simulator.clearFaults();
	await workflow.later();
	expect(workflow.subjects).toEqual([
		'2 companies have another number now: check them',
		'2 companies have another number now: check them; 1 removed',
	]);
});

it('a company that could not be repaired is said to miss events since then, whatever restarts follow', async () => {
	simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 503 } });
	simulator.drift({ is_active: false }, [COMPANIES[0]]);
	await workflow.later();
	await workflow.later(12 * MINUTE);
	expect(workflow.told).toHaveLength(1);

	await workflow.stop();
	passTime(6 * MINUTE);
	await workflow.start();
	simulator.clearFaults();
	await workflow.later();
	const [, from, to] =
		/^Events may be missing for 1 company between (\d\d):\S+ and (\d\d):\S+$/.exec(
			workflow.subjects.at(-1)!,
		)!;
	expect((Number(to) - Number(from) + 24) % 24).toBeGreaterThanOrEqual(2);
});

it('companies that are not watched come before the gap of one that is again, also where the failure may pass soon', async () => {
	simulator.drift({ is_active: false }, COMPANIES);
	simulator.fault({ method: 'PATCH', nth: 2, times: Infinity, action: { status: 503 } });
	await workflow.later();
	workflow.expectTold(
		/^57 of 58 companies are not watched; events may be missing for 1 company between /,
	);
	await workflow.later(11 * MINUTE);
	expect(workflow.told).toHaveLength(1);
	simulator.clearFaults();
	await workflow.later();
	expect(workflow.subjects.at(-1)).toMatch(/^Events may be missing for 57 companies between /);
});

it('the end of a gap comes before a row that cannot be read, although its beginning was told', async () => {
	await change(table(['#REF!', ...COMPANIES.slice(1)]));
	simulator.drift('remove', COMPANIES.slice(5, 25));
	simulator.fault({ method: 'POST', times: Infinity, action: { status: 403 } });
	await workflow.later();
	expect(workflow.subjects.at(-1)).toBe('20 of 58 companies are not watched');
	simulator.clearFaults();
	await workflow.later(5 * HOUR);
	expect(workflow.subjects.at(-1)).toMatch(/^Events may be missing for 20 companies between /);
});

it.each<[string, Parameters<typeof simulator.drift>[0]]>([
	['paused', { is_active: false }],
	['removed', 'remove'],
])(
	'a webhook that someone has %s before its company is taken off the list is told',
	async (what, drift) => {
		simulator.drift(drift, COMPANIES.slice(0, 2));
		passTime(40 * MINUTE);
		await change(table(COMPANIES.slice(2)));
		const verdict = /^Events may be missing for 2 companies between \S+ and \S+; 2 removed$/;
		expect(workflow.subjects).toEqual([expect.stringMatching(verdict)]);
		workflow.expectTold(
			new RegExp(`Removed: - 10000001 Client 10000001: Had been ${what}; events may be missing `),
		);
		await workflow.later();
		expect(workflow.subjects).toHaveLength(1);
	},
);

it('companies without a webhook that are taken off the list are called removed, and no gap goes on', async () => {
	const three = COMPANIES.slice(0, 3);
	simulator.drift('remove', three);
	simulator.refuse(three);
	await workflow.later();
	await workflow.later(30 * HOUR);
	await change(table(COMPANIES.slice(3)));
	expect(workflow.subjects.at(-1)).toBe('55 companies are watched: 3 removed');
});

it('where the service knows none of many webhooks, a person learns that once a day', async () => {
	const empty = { status: 200, body: { data: [] } };
	simulator.fault({ method: 'GET', times: Infinity, action: empty });
	simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 404 } });
	for (let hour = 0; hour < 6; hour++) await workflow.later();
	expect(workflow.told).toHaveLength(1);
	expect(workflow.subjects[0]).toBe('58 of 58 companies are not watched');
});

it('the preview says which companies are not watched now, and since when no check has succeeded', async () => {
	simulator.drift('remove', COMPANIES.slice(0, 2));
	simulator.fault({ method: 'POST', times: Infinity, action: { status: 403 } });
	await workflow.later();
	expect(await previewOf()).toEqual([
		expect.stringMatching(/: checks have failed since \S+, 2 not watched now$/),
		'Not watched now: 10000001 Client 10000001',
		'Not watched now: 10000002 Client 10000002',
	]);
	simulator.clearFaults();
	await workflow.later();
	simulator.fault({ times: Infinity, action: { status: 401 } });
	await workflow.later();
	expect(await previewOf()).toEqual([
		expect.stringMatching(/^Publishing will watch 58 companies: checks have failed since \S+$/),
	]);
});

it('the preview of a first publish that the service has refused says that it may stop again', async () => {
	const other = watch(simulator, companyNumbers(62).slice(58));
	simulator.refuse(['10000060']);
	const message = await failureOf(other.publish());
	expect(message).toMatch(/^This workflow watches no company yet: the service refused some\./);
	const [item] = await sampleItems(hookContext(other.load(), { isTest: true }));
	expect(item.json.preview).toEqual([
		'The first publish will stop if the service refuses 1 company again',
		'Refused by the service when last tried: 10000060',
	]);
});

it('a publish that a quota stops advises only one thing', async () => {
	const many = watch(simulator, companyNumbers(200).slice(100));
	const quota = { status: 422, body: { error: 'quota', message: 'Quota reached', status: 422 } };
	simulator.fault({ method: 'POST', nth: 6, times: Infinity, action: quota });
	const message = await failureOf(many.publish());
	expect(message).toContain('Setup stopped after 20 identical refusals in a row');
	expect(message).not.toContain('Skip');
});

describe('after n8n has restarted', () => {
	const PAUSED = { method: 'PATCH', times: Infinity, action: { status: 503 } };

	it('companies whose watch ends later are called removed', async () => {
		simulator.fault(PAUSED);
		await change(table(COMPANIES.slice(18)));
		await workflow.stop();
		passTime(MINUTE);
		await workflow.start();
		expect(workflow.shown.at(-1)?.summary).toContain(
			'No longer on your list, and the next check pauses their webhooks:',
		);
		simulator.clearFaults();
		await workflow.later();
		expect(workflow.subjects.at(-1)).toBe('40 companies are watched: 18 removed');
		expect(simulator.watched()).toEqual(COMPANIES.slice(18));
	});

	it('a downtime counts although another event has been missing before', async () => {
		const events = ['filing.new', 'psc.added', 'watch.report'];
		simulator.fault(PAUSED);
		await change({ ...table(COMPANIES), events });
		await workflow.later(11 * MINUTE);
		workflow.executions.splice(0);
		await workflow.stop();
		passTime(3 * HOUR);
		await workflow.start();
		workflow.expectTold(
			/^58 of 58 companies are not watched .* n8n was not running; events may be missing between /,
		);
	});

	describe('names whose numbers were exchanged are told', () => {
		const [first, second, ...others] = COMPANIES.map(nameOf);
		const exchanged = table(COMPANIES, [second, first, ...others]);
		const VERDICT = /^2 companies have another number now: check them/;
		const restart = async () => {
			await workflow.stop();
			await workflow.start();
			await workflow.later();
			await workflow.later(25 * HOUR);
		};

		it('each day, where that has interrupted the setup', async () => {
			setTimes({ earlyAnswer: 100 });
			simulator.latencyMs = 60;
			const joined = companyNumbers(98).slice(58);
			const names = [second, first, ...others, ...joined.map(nameOf)];
			workflow.setup.parameters = table([...COMPANIES, ...joined], names);
			await workflow.submit();
			expect(workflow.told).toEqual([]);
			simulator.latencyMs = 0;
			await restart();
			const verdict = expect.stringMatching(VERDICT);
			expect(workflow.told).toEqual([verdict, verdict]);
		});

		it('in a verdict, where only the text below a failure had them', async () => {
			simulator.fault({ times: Infinity, action: { status: 401 } });
			await change(exchanged);
			simulator.clearFaults();
			await restart();
			expect(workflow.told).toEqual([
				expect.stringMatching(/^Could not check since /),
				expect.stringMatching(VERDICT),
				expect.stringMatching(VERDICT),
			]);
		});
	});

	it('a failure goes on that began before that', async () => {
		simulator.fault({ times: Infinity, action: { status: 503 } });
		await workflow.later();
		await workflow.later(7 * MINUTE);
		expect(workflow.told).toEqual([]);
		await workflow.stop();
		passTime(4 * MINUTE);
		await workflow.start();
		workflow.expectTold(/^Could not check since /);
	});
});

it('one of two problems that ends is an item, although the other one goes on', async () => {
	simulator.refuse(['10000059']);
	const numbers = ['20000001', ...COMPANIES.slice(1), '10000059'];
	await change(table(numbers, [...COMPANIES, '10000059'].map(nameOf)));
	expect(workflow.subjects.at(-1)).toBe('1 of 60 companies is not watched');
	simulator.clearFaults();
	await workflow.later();
	expect(workflow.subjects).toHaveLength(2);
	expect(workflow.subjects.at(-1)).toBe('1 company has another number now: check it');
	await workflow.later();
	expect(workflow.subjects).toHaveLength(2);
});

it('a company and names with exchanged numbers are counted together', async () => {
	const [first, second] = COMPANIES.map(nameOf);
	const numbers = ['20000001', ...COMPANIES.slice(1)];
	const names = COMPANIES.map(nameOf);
	names.splice(1, 2, names[2], names[1]);
	await change(table(numbers, names));
	expect(workflow.subjects).toEqual(['3 companies have another number now: check them']);
	expect(workflow.told[0]).toContain(`10000001 ${first} has the number 20000001 now`);
	expect(workflow.told[0]).toContain(`${second}: 10000002 → 10000003`);
});

it('a wrong number that was removed at the service before its correction is no gap', async () => {
	const names = COMPANIES.map(nameOf);
	await change(table(['20000001', ...COMPANIES.slice(1)], names));
	simulator.drift('remove', ['20000001']);
	await workflow.later();
	workflow.executions.splice(0);
	await change(table(COMPANIES));
	expect(workflow.subjects).toEqual(['58 companies are watched']);
	expect(workflow.told).toEqual([]);
});

it('exchanged names that no pass has accepted yet are counted once', async () => {
	const [first, second, ...others] = COMPANIES.map(nameOf);
	const { credentials } = workflow.setup;
	workflow.setup.credentials = {};
	await change(table(COMPANIES, [second, first, ...others]));
	expect(workflow.subjects.at(-1)).toMatch(/^Could not check /);
	workflow.setup.credentials = credentials;
	expect(await previewOf()).toContainEqual(
		expect.stringMatching(
			/^Publishing will watch 58 companies: checks have failed since \S+, 2 changed numbers$/,
		),
	);
});

it('what cannot be done yet is not advised', async () => {
	simulator.fault({ times: Infinity, action: { status: 401 } });
	await change(table(TEN));
	expect(workflow.told[0]).toContain(
		'Once the trigger can check again, its report says how to end them.',
	);
	expect(workflow.told[0]).not.toContain('unpublish and publish');
	simulator.clearFaults();
	await workflow.later();
	expect(workflow.shown.at(-1)?.summary).toContain('To end them, unpublish and publish this list');
});

it('a webhook that cannot be repaired is not said to have a wrong number or the previous events', async () => {
	simulator.drift({ events: ['psc.added'] }, [COMPANIES[0]]);
	simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 422 } });
	await workflow.later();
	workflow.expectTold(
		/^1 of 58 companies is not watched .* has accepted these numbers before\. .* ask the service's support/,
	);
	expect(workflow.told[0]).not.toMatch(/Correct these numbers|previously chosen/);
});

it('of two failures, each has its own beginning', async () => {
	await change({ ...table(COMPANIES), companyNumbers: '={{ nothing( }}' });
	const [, since] = /^Could not read .* since (\S+);/.exec(workflow.subjects.at(-1)!)!;
	passTime(3 * HOUR);
	simulator.fault({ times: Infinity, action: { status: 401 } });
	await workflow.later();
	expect(workflow.subjects.at(-1)).toMatch(/^Could not check since /);
	expect(workflow.subjects.at(-1)).not.toContain(since);
	expect(workflow.shown.at(-1)?.summary).toContain(`settings since ${since}`);
});

describe('below a worse fact, a person may overlook', () => {
	const [first, second, ...others] = COMPANIES.map(nameOf);
	const exchanged = [second, first, ...others];

	it('a list that has lost most of its companies: it is told once it is the worst', async () => {
		simulator.fault({ times: Infinity, action: { status: 401 } });
		await change(table(TEN));
		await workflow.later();
		simulator.clearFaults();
		await workflow.later();
		await workflow.later();
		expect(workflow.told).toEqual([
			expect.stringMatching(/^Could not check since /),
			expect.stringMatching(/^48 companies left your list: .* unpublish and publish this list/),
		]);
	});

	it('names whose numbers were exchanged: they are told once they are the worst', async () => {
		simulator.refuse(['10000059']);
		await change(table([...COMPANIES, '10000059'], [...exchanged, '59']));
		expect(await previewOf()).toContain('2 companies have another number now: check them');
		simulator.clearFaults();
		await workflow.later();
		await workflow.later();
		expect(workflow.subjects).toEqual([
			'1 of 59 companies is not watched',
			'2 companies have another number now: check them',
		]);
		expect(workflow.told).toHaveLength(2);
	});
});

it('a number that a new client has now, beside its old name, is another number', async () => {
	const names = COMPANIES.map(nameOf);
	await change(table([...COMPANIES, '20000001'], ['New Client', ...names.slice(1), names[0]]));
	expect(workflow.subjects).toEqual(['1 company has another number now: check it']);
});

it('the preview of a list that has lost most of its companies says how many are not watched', async () => {
	simulator.drift('remove', COMPANIES.slice(0, 2));
	simulator.fault({ method: 'POST', times: Infinity, action: { status: 403 } });
	await workflow.later();
	const [verdict] = (await previewOf(table(TEN))) as string[];
	expect(verdict).toMatch(
		/^Checks have failed since \S+; 48 companies left your list: they stay watched until you confirm$/,
	);
});

it('the preview counts no company as removed or added that the service has always refused', async () => {
	simulator.refuse(['10000059']);
	await change(table([...COMPANIES, '10000059']));
	expect(await previewOf(table(COMPANIES.slice(1)))).toContain(
		'Publishing will watch 57 companies: 1 removed',
	);
	expect(await previewOf(table([...COMPANIES, '10000059']))).toContain(
		'Publishing will watch 59 companies: 1 refused when last tried',
	);
});

it('while the list cannot be read, nothing is advised about companies that have left it', async () => {
	await change(table(TEN));
	await change({ ...table(TEN), companyNumbers: '={{ nothing( }}' });
	expect(workflow.subjects.at(-1)).toMatch(/^Could not read /);
	expect(workflow.told.at(-1)).not.toContain('unpublish and publish');
});

describe('events that change', () => {
	const PSC = { ...table(COMPANIES), events: ['filing.new', 'psc.added', 'watch.report'] };

	it('a watched company whose event cannot be taken away is not listed as refused', async () => {
		await change(PSC);
		const two = simulator.webhooks().slice(0, 2);
		const path = new RegExp(two.map(({ id }) => id).join('|'));
		simulator.fault({ method: 'PATCH', path, times: Infinity, action: { status: 422 } });
		simulator.refuse(['10000059']);
		await change(table([...COMPANIES, '10000059']));
		expect(workflow.subjects.at(-1)).toBe(
			'1 of 59 companies is not watched; 1 event no longer chosen',
		);
		expect(workflow.shown.at(-1)?.summary).toMatch(
			/Correct these numbers or remove them:\n- 10000059 Client 10000059\n/,
		);
	});

	it('an additional event that the service does not know is what a person has to check', async () => {
		const body = { error: 'invalid', message: 'Unknown event', status: 422 };
		simulator.fault({ method: 'PATCH', times: Infinity, action: { status: 422, body } });
		await change({ ...table(COMPANIES), options: { additionalEvents: 'filling.amended' } });
		expect(workflow.shown.at(-1)?.summary).toContain(
			'Unknown event" (invalid). All were refused for the same reason. Check your account, the chosen events and n8n\'s address first:',
		);
	});

	it('while an event is added, the report says that the companies deliver as before', async () => {
		setTimes({ earlyAnswer: 100, beforeReport: 10 * MINUTE });
		simulator.latencyMs = 60;
		await workflow.submit({ parameters: PSC });
		const { summary } = workflow.shown.at(-1)!;
		await workflow.idle();
		expect(summary).toMatch(/of them may still deliver the previously chosen events/);
	});
});

it('after a downtime, no company is called repaired while the service does not answer', async () => {
	await workflow.stop();
	passTime(8 * HOUR);
	simulator.fault({ times: Infinity, action: { status: 503 } });
	await workflow.start();
	const [report] = workflow.shown.slice(-1);
	expect(report.summary).toContain('Could not check since');
	expect(report.repaired.count).toBe(0);
});

it('a company that has left is counted behind a changed number', async () => {
	await change(
		table(['10000091', ...COMPANIES.slice(2)], [COMPANIES[0], ...COMPANIES.slice(2)].map(nameOf)),
	);
	expect(workflow.subjects.at(-1)).toBe('1 company has another number now: check it; 1 removed');
});
