// Many refusals: what they have in common, how many are named, and what was not asked for.
import { snakeCase } from 'lodash';

import { waitFor } from '../../n8n-host/waitFor';
import { active, companyIn, methods, serviceForEachTest } from '../../support/atService';
import { n8nForEachTest } from '../../support/liveN8n';
import { shortenWaits } from '../../support/loadedTriggers';
import { companyNumbers, watching } from '../../support/savedWorkflow';

jest.setTimeout(60_000);

const start = n8nForEachTest();
const simulator = serviceForEachTest();

/** The service refuses these, each in words of its own. */
function refuseEach(
	companies: string[],
	status: number,
	words: (index: number) => [string, string],
) {
	const answers = new Map(companies.map((company, index) => [company, words(index)]));
	for (const [company, [error, message]] of answers) {
		simulator.fault({
			method: 'POST',
			times: Infinity,
			when: ({ body }) => companyIn(body) === company,
			action: { status, body: { error, message, status } },
		});
	}
}

it.each([
	['leave out', watching(companyNumbers(80), { options: { refusedCompanies: 'leaveOut' } })],
	['fail', watching(companyNumbers(80))],
])(
	'refusals of one status and code are one reason, though each holds the number of its request (%s)',
	async (_option, parameters) => {
		refuseEach(companyNumbers(80), 409, (index) => [
			'limit_reached',
			`Your limit is reached (request req_${index}_${Math.random()})`,
		]);
		const n8n = await start(simulator, [], { parameters });
		const message = await n8n.publish();
		expect(message).toMatch(/^Nothing is watched: /);
		expect(message.match(/Your limit is reached/g)).toHaveLength(1);
		expect(methods(simulator).filter((method) => method === 'POST').length).toBeLessThan(32);
	},
);

it.each([
	[
		'in words of their own',
		(index: number): [string, string] => ['invalid', `Reason ${index}: ${'x'.repeat(200)}`],
	],
	[
		'for reasons of their own',
		(index: number): [string, string] => [`code_${index}`, `Reason ${index}: ${'x'.repeat(200)}`],
	],
])('200 refusals %s make a message of twenty companies and a count', async (_how, words) => {
	const all = companyNumbers(600);
	// Every third one, so that they are no sign that the service refuses all.
	const refused = all.filter((_company, index) => index % 3 === 1);
	refuseEach(refused, 422, words);
	const n8n = await start(simulator, all);
	const message = await n8n.publish();
	expect(message).toMatch(/^Nothing is watched: /);
	const named = refused.filter((company) => message.includes(company));
	expect(named.length).toBeLessThanOrEqual(20);
	expect(named.length).toBeGreaterThan(4);
	expect(message).toMatch(/\b200\b/);
	expect(message.length).toBeLessThan(6000);
});

it('refusals of different codes are told apart, and named with their companies', async () => {
	refuseEach(companyNumbers(6), 422, (index) =>
		index < 3 ? ['unknown_company', 'No such company'] : ['dissolved', 'Struck off'],
	);
	const n8n = await start(simulator, companyNumbers(20));
	const message = await n8n.publish();
	expect(message).toMatch(/10000001, 10000002, 10000003: .*No such company/);
	expect(message).toMatch(/10000004, 10000005, 10000006: .*Struck off/);
});

it('says how many of the updates were not asked for', async () => {
	const many = companyNumbers(120);
	const n8n = await start(simulator, many);
	expect(await n8n.publish()).toBe('');
	simulator.fault({
		method: 'PATCH',
		times: Infinity,
		action: {
			status: 422,
			body: { error: 'no_such_event', message: 'Unknown event', status: 422 },
		},
	});
	simulator.clearRequests();
	expect(await n8n.watch(many, { events: ['psc.added'] })).toBe('');
	const [told] = await n8n.untilTold();
	const asked = methods(simulator).filter((method) => method === 'PATCH').length;
	expect(asked).toBeLessThan(40);
	expect(told).not.toMatch(/\b0 (more )?were not asked for/);
	const [, notAsked] = /(\d+) (?:more )?were not asked for/.exec(told) ?? [];
	expect(Number(notAsked)).toBeGreaterThanOrEqual(120 - 40);
	expect(Number(notAsked)).toBeLessThanOrEqual(120 - 20);
	expect(active(simulator)).toHaveLength(120);
});

it('a publish that cannot go on after n8n was answered names the refused companies that it met', async () => {
	shortenWaits({ answer: 1500 });
	simulator.latencyMs = 300;
	const all = companyNumbers(60);
	const n8n = await start(simulator, all);
	n8n.itself = 'refused';
	const message = 'No such company';
	simulator.fault({
		method: 'POST',
		nth: 2,
		times: 2,
		action: { status: 422, body: { error: snakeCase(message), message, status: 422 } },
	});
	const said = await n8n.publish();
	const text = () => [said, ...n8n.log].join('\n');
	await waitFor('the words', () => text().includes(message), { timeoutMs: 20_000 });
	const refused = simulator.requests.filter(({ status }) => status === 422);
	expect(refused).toHaveLength(2);
	for (const { body } of refused) expect(text()).toContain(companyIn(body));
});
