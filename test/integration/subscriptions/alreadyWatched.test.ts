// A publish that would double the webhooks of another workflow asks first.
import type { INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { active, counts, ids, serviceForEachTest, watched } from '../../support/atService';
import { n8nForEachTest } from '../../support/liveN8n';
import { companyNumbers } from '../../support/savedWorkflow';

jest.setTimeout(60_000);

const COMPANIES = companyNumbers(25);

const start = n8nForEachTest();
const simulator = serviceForEachTest();

/** The option by the names that the editor shows. */
function alreadyWatched(choice: string) {
	const { properties } = new CompanyRegistryTrigger().description;
	const options = properties.find(({ name }) => name === 'options')?.options ?? [];
	const option = options.find(
		(one) => 'displayName' in one && one.displayName === 'Already Watched',
	);
	if (!option || !('options' in option)) throw new Error('There is no option "Already Watched"');
	const choices = option.options as Array<INodePropertyOptions | INodePropertyCollection>;
	const found = choices.find(({ name }) => name === choice) as INodePropertyOptions | undefined;
	if (!found) throw new Error(`There is no "${choice}"`);
	return { options: { [option.name]: found.value } };
}

/** Another workflow of the same account watches these, of another n8n unless it is the same process. */
async function another(companies: string[], firstProcess = 3) {
	const n8n = await start(simulator, companies, { firstProcess });
	expect(await n8n.publish()).toBe('');
	simulator.clearRequests();
	return n8n;
}

it.each([
	['another n8n', 3],
	['the same n8n', 0],
])(
	'of %s, it says how many, that events would come twice, and what to do; nothing is made',
	async (_where, process) => {
		await another(COMPANIES, process);
		const n8n = await start(simulator, COMPANIES);
		const message = await n8n.publish();
		expect(message).toMatch(/^Nothing is watched: /);
		expect(message).toMatch(/\b25 companies\b/);
		expect(message).toMatch(/twice/);
		expect(message).toMatch(/Unpublish/i);
		expect(message).toMatch(/'Already Watched'.*'Make Another'/);
		expect(counts(simulator)).not.toHaveProperty('POST');
		expect(active(simulator)).toHaveLength(25);
	},
);

it('"Make Another" makes them, and both workflows are watched', async () => {
	const other = await another(COMPANIES);
	const n8n = await start(simulator, COMPANIES);
	expect(await n8n.watch(COMPANIES, alreadyWatched('Make Another'))).toBe('');
	expect(active(simulator)).toHaveLength(50);
	expect(await n8n.deliverAll(COMPANIES)).toEqual({ 200: 25 });
	expect(await other.deliverAll(COMPANIES)).toEqual({ 200: 25 });
});

it('once the other workflow is unpublished, nothing is asked', async () => {
	const other = await another(COMPANIES);
	const n8n = await start(simulator, COMPANIES);
	expect(await n8n.publish()).not.toBe('');
	await other.unpublish();
	await other.untilQuiet();
	expect(await n8n.watch(COMPANIES, alreadyWatched('Ask'))).toBe('');
	expect(active(simulator)).toHaveLength(25);
});

it('for up to twenty nothing is asked', async () => {
	await another(COMPANIES.slice(0, 20));
	const n8n = await start(simulator, COMPANIES);
	expect(await n8n.publish()).toBe('');
	expect(active(simulator)).toHaveLength(45);
});

it('those of other companies, and paused ones, are none', async () => {
	const paused = await another(COMPANIES);
	await paused.unpublish();
	await paused.untilQuiet();
	await another(companyNumbers(80).slice(40));
	const n8n = await start(simulator, COMPANIES);
	expect(await n8n.publish()).toBe('');
	expect(active(simulator)).toHaveLength(25 + 40);
});

it('its own are none: not after a restart, not after an unpublish, not for a list that grows', async () => {
	const n8n = await start(simulator, COMPANIES);
	expect(await n8n.publish()).toBe('');
	await n8n.boot();
	expect(await n8n.watch(companyNumbers(60))).toBe('');
	await n8n.unpublish();
	expect(await n8n.publish()).toBe('');
	expect(watched(simulator)).toEqual(companyNumbers(60));
	expect(ids(simulator)).toHaveLength(60);
	expect(n8n.told).toEqual([]);
});

it('a later publish tells it, makes none of those, and makes the others', async () => {
	await another(companyNumbers(40).slice(5));
	const n8n = await start(simulator, companyNumbers(5));
	expect(await n8n.publish()).toBe('');
	const list = [...companyNumbers(40), '20000001', '20000002'];
	expect(await n8n.watch(list)).toBe('');
	const [told] = await n8n.untilTold();
	expect(told).toMatch(/\b35 companies\b/);
	expect(told).toMatch(/twice/);
	expect(told).toMatch(/'Already Watched'.*'Make Another'/);
	await n8n.untilQuiet();
	expect(n8n.webhooks.map((one) => one.company_number)).toEqual(
		expect.arrayContaining([...companyNumbers(5), '20000001', '20000002']),
	);
	expect(active(simulator)).toHaveLength(35 + 7);
	expect(await n8n.deliverAll([...companyNumbers(5), '20000001'])).toEqual({ 200: 6 });
	expect(n8n.told).toHaveLength(1);
});
