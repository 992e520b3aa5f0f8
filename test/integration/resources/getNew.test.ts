// What is new in a company's record since it was read the last time.
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { getNew } from '../../../nodes/CompanyRegistry/resources/company/getNew';
import { byNumber, failureOf, runAction } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';
import { offeredFields } from '../../support/outputSchemas';

const simulator = serviceForEachTest();
// The service's paths are not known; this one is the test's own.
const parameters: INodeParameters = {
	resource: 'company',
	operation: 'getNew',
	companyNumber: byNumber('99000001'),
	recordPath: '/v1/some-path/{company_number}',
};

/** Reads a record once, with what was known before. */
async function read(data: unknown, known?: unknown) {
	simulator.fault({ path: /some-path/, action: { status: 200, body: { data } } });
	const given = known === undefined ? {} : { known: known as string };
	const [{ json }] = await runAction(simulator, { ...parameters, ...given });
	expect(Object.keys(json)).toEqual(offeredFields('company/getNew'));
	return json as Awaited<ReturnType<ReturnType<typeof getNew.prepare>>>[number];
}
/** What is new in each reading, one after the other. */
async function readAll(...records: unknown[]): Promise<object[][]> {
	let known: string | undefined;
	const found: object[][] = [];
	for (const record of records) {
		const result = await read(record, known);
		known = result.known;
		found.push(result.entries);
	}
	return found;
}
const filing = (id: number, other: object = {}) => ({ id: `f${id}`, type: 'AA', ...other });

describe('Get What Is New', () => {
	it('only remembers at first, and then puts out each new entry once, as received', async () => {
		const three = [filing(3, { pages: [1, { a: 1, b: 2 }] }), filing(2), filing(1)];
		const again = [filing(3, { pages: [1, { b: 2, a: 1 }] }), filing(2), filing(1)];
		const found = await readAll(three.slice(1), three, again);
		expect(found).toEqual([[], [three[0]], []]);
	});

	const all = [filing(1), filing(2), filing(3)];
	const list = (...items: object[]) => ({ total: items.length, items });
	const record = { name: 'A', address: { town: 'Leeds', code: 'LS1' }, officers: [{ id: 1 }] };
	const changed = {
		name: 'A',
		address: { town: 'York', code: 'LS1' },
		officers: [{ id: 1 }, { id: 2 }],
	};
	it.each<[string, object[], object[][]]>([
		[
			'an entry of a list inside of an object',
			[list(all[0]), list(all[1]), list(all[1])],
			[[], [all[1]], []],
		],
		[
			'only what is, after an empty or a short answer',
			[all, [], all.slice(0, 1), [filing(4), ...all]],
			[[], [], [], [filing(4)]],
		],
		['an entry of a record that was empty', [[], [all[0]]], [[], [all[0]]]],
		[
			'what has changed in a record that is no list',
			[record, changed, { other: 1 }],
			[[], [{ 'address.town': 'York' }, { id: 2 }], [{ other: 1 }]],
		],
		[
			'a state that comes back',
			['active', 'strike off', 'active', 'strike off'].map((status) => ({ ...record, status })),
			[[], ...['strike off', 'active', 'strike off'].map((status) => [{ status }])],
		],
		[
			'a field that was gone',
			[{ ...record, detail: 'x' }, record, { ...record, detail: 'x' }],
			[[], [], [{ detail: 'x' }]],
		],
		['nothing of a record after a short answer', [record, {}, record], [[], [], []]],
		[
			'one more of equal entries',
			[[all[0]], [all[0], all[0]], [all[0]], [all[0], all[0]], [all[0], all[0], all[0]]],
			[[], [all[0]], [], [], [all[0]]],
		],
	])('takes for new %s', async (_what, records, found) => {
		expect(await readAll(...records)).toEqual(found);
	});

	it('remembers a bounded number of entries, but never fewer than there are', async () => {
		const entries = (from: number, count: number) =>
			Array.from({ length: count }, (_, index) => filing(from + index));
		const first = await read(entries(0, 3000));
		expect(first.known.split(' ')).toHaveLength(3001);
		const second = await read(entries(2999, 10), first.known);
		expect(second.entries).toHaveLength(9);
		expect(second.known.split(' ')).toHaveLength(2001);
	});

	it.each(['f1 f2', 'known1 short', '{"a":1}', 5])(
		'refuses %j as what was known',
		async (known) => {
			const run = runAction(simulator, { ...parameters, known: known as string });
			const { message, description } = await failureOf(run);
			expect(message).toMatch(/^'Known' cannot be /);
			expect(description).toContain("put out as 'known' the last time");
			expect(simulator.requests).toEqual([]);
		},
	);

	it('takes nothing as known where an expression finds nothing', async () => {
		simulator.fault({ path: /some-path/, action: { status: 200, body: { data: [filing(1)] } } });
		const items: IDataObject[] = [{ known: null }];
		const run = runAction(simulator, { ...parameters, known: '={{ $json.known }}' }, { items });
		expect((await run)[0].json.entries).toEqual([]);
	});
});
