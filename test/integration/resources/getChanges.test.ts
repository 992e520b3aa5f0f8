// The new entries of a record since the previous run.
import type { INodeParameters } from 'n8n-workflow';

import type { getChanges } from '../../../nodes/CompanyRegistry/resources/company/getChanges';
import { byNumber, failureOf, runAction } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';
import { offeredFields } from '../../support/outputSchemas';

const simulator = serviceForEachTest();
// The service's paths are not documented; this one is made up.
const parameters: INodeParameters = {
	resource: 'company',
	operation: 'getChanges',
	companyNumber: byNumber('99000001'),
	record: 'path',
	recordPath: '/v1/some-path/{company_number}',
};

/** Runs the operation once. */
async function read(data: unknown, checkpoint?: unknown) {
	simulator.fault({ path: /some-path/, action: { status: 200, body: { data } } });
	const given = checkpoint === undefined ? {} : { checkpoint: checkpoint as string };
	const [{ json }] = await runAction(simulator, { ...parameters, ...given });
	expect(Object.keys(json)).toEqual(offeredFields('company/getChanges'));
	return json as Awaited<ReturnType<ReturnType<typeof getChanges.prepare>>>[number];
}
/** The new entries of each run, one run for each record. */
async function readAll(...records: unknown[]): Promise<object[][]> {
	let checkpoint: string | undefined;
	const found: object[][] = [];
	for (const record of records) {
		const result = await read(record, checkpoint);
		checkpoint = result.checkpoint;
		found.push(result.entries);
	}
	return found;
}
const filing = (id: number, other: object = {}) => ({ id: `f${id}`, type: 'AA', ...other });

const all = [filing(1), filing(2), filing(3)];
const [one] = all;
const list = (...items: object[]) => ({ total: 1, items });
const town = (name: string) => ({ address: { town: name, code: 'LS1' } });
const record = { name: 'A', ...town('Leeds'), officers: [{ id: 1 }] };
const changed = { name: 'A', ...town('York'), officers: [{ id: 1 }, { id: 2 }] };
const three = [filing(3, { pages: [1, { a: 1, b: 2 }] }), filing(2), filing(1)];
const again = [filing(3, { pages: [1, { b: 2, a: 1 }] }), filing(2), filing(1)];
const statuses = ['active', 'strike off', 'active', 'strike off'].map((status) => ({ status }));
const returning = statuses.map((status) => ({ ...record, ...status }));
const copies = [[one], [one, one], [one], [one, one], [one, one, one]];
const moved = [{ 'address.town': 'York' }, { id: 2 }];

it.each<[string, object[], object[][]]>([
	['a new entry once, as received', [three.slice(1), three, again], [[], [three[0]], []]],
	['an entry of a list alone in an object', [{ items: [one] }, { items: all }], [[], all.slice(1)]],
	['an entry of a list inside an object', [list(one), list(all[1])], [[], [all[1]]]],
	['a field beside a list', [list(one), { ...list(one), total: 2 }], [[], [{ total: 2 }]]],
	['new entries only', [all, [], [one], [filing(4), ...all]], [[], [], [], [filing(4)]]],
	['an entry of a record that was empty before', [[], [one]], [[], [one]]],
	['a changed field', [record, changed, { other: 1 }], [[], moved, [{ other: 1 }]]],
	['a value that returns', returning, [[], ...statuses.slice(1).map((status) => [status])]],
	['a field that was missing', [{ a: 1, b: 2 }, { a: 1 }, { a: 1, b: 2 }], [[], [], [{ b: 2 }]]],
	['another copy of an entry', copies, [[], [one], [], [], [one]]],
	['nothing after a short answer', [record, {}, record], [[], [], []]],
])('returns nothing on the first run, then %s', async (_what, records, found) => {
	expect(await readAll(...records)).toEqual(found);
});

it('remembers all entries of the last answer, and at most 2,000 in total if it has fewer', async () => {
	const entries = (from: number, count: number) =>
		Array.from({ length: count }, (_, index) => filing(from + index));
	const first = await read(entries(0, 3000));
	expect(first.checkpoint.split(' ')).toHaveLength(3001);
	const second = await read(entries(2999, 10), first.checkpoint);
	expect(second.entries).toHaveLength(9);
	expect(second.checkpoint.split(' ')).toHaveLength(2001);
});

it.each(['f1 f2', 'checkpoint1 short', 5])('refuses %j as Checkpoint', async (value) => {
	const run = runAction(simulator, { ...parameters, checkpoint: value as string });
	const { message, description } = await failureOf(run);
	expect(message).toMatch(/^'Checkpoint' cannot be /);
	expect(description).toContain("the previous run's output");
	expect(simulator.requests).toEqual([]);
});
