// Names of a list, looked up in the register.
import { map } from 'lodash';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { FoundCompany } from '../../../nodes/CompanyRegistry/registry/schemas';
import { failureOf, runAction, runShown } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';
import { offeredFields } from '../../support/outputSchemas';

const simulator = serviceForEachTest();

const PARAMETERS = { resource: 'companyList', operation: 'findNumbers' };
const offered = offeredFields('companyList/findNumbers');

/** The rows that come out, each with the fields that the editor offers. */
async function find(items: IDataObject[], parameters: INodeParameters = {}) {
	const output = await runAction(simulator, { ...PARAMETERS, ...parameters }, { items });
	return output.map(({ json }) => {
		expect(Object.keys(json)).toEqual(expect.arrayContaining(offered));
		return json as IDataObject & { candidates: FoundCompany[] };
	});
}
const findNames = async (...names: unknown[]) =>
	await find(names.map((name) => ({ 'Company name': name }) as IDataObject));

type Found = [number: string, name: string, status?: string];
/** What every search finds. */
function answer(...found: Found[]) {
	const items = found.map(([company_number, company_name, status = 'active']) => {
		return { company_number, company_name, company_status: status };
	});
	const action = { status: 200, body: { data: { items } } };
	simulator.fault({ path: /search/, times: Infinity, action });
}
const searched = () => simulator.requests.map(({ query }) => query.q);

it('finds a name in another spelling, and keeps what came in', async () => {
	const euler = { ref: 1, 'Contact name': 'Jo', Client: 'Euler Instruments Ltd.' };
	const other = { ref: 2, 'Contact name': 'Ann', Client: 'no such' };
	const output = await runAction(simulator, PARAMETERS, { items: [euler, other] });
	const found = {
		company_number: '99718281',
		found_name: 'EULER INSTRUMENTS LIMITED',
		company_status: 'active',
	};
	const none = { company_number: null, match: 'none', candidates: [] };
	expect(output).toEqual([
		{ json: { ...euler, ...found, match: 'exact', candidates: [] }, pairedItem: { item: 0 } },
		{ json: expect.objectContaining({ ...other, ...none }), pairedItem: { item: 1 } },
	]);
});

describe('a name without a number', () => {
	it.each([
		['The Fox & Co. Ltd', 'FOX AND CO LIMITED'],
		["O'Neill-Smith (UK) plc", 'ONEILL SMITH UK P.L.C.'],
		['Roe and Doe l.l.p.', 'ROE & DOE LLP'],
		['Cafe Etoile Ltd', 'CAFÉ ÉTOILE LTD'],
		['Llaeth y Llan Cyf', 'LLAETH Y LLAN CYFYNGEDIG'],
		['Fox Trust', 'THE FOX TRUST'],
	])('%j is exactly %j', async (name, found) => {
		answer(['99000001', found], ['99000002', 'ANOTHER FOX LIMITED']);
		expect((await findNames(name))[0]).toMatchObject({
			match: 'exact',
			company_number: '99000001',
			found_name: found,
		});
	});

	it.each<[string, string, string[], string, string?]>([
		['several of that name', 'Acme Ltd', ['ACME LTD', 'Acme Limited'], '01'],
		['one of another legal form', 'Acme Ltd', ['ACME LLP'], '0'],
		['one of the same name behind another', 'Acme Ltd', ['ACME HOLDINGS LTD', 'ACME LLP'], '10'],
		['no legal form written', 'Acme', ['ACME LTD'], '0'],
		['similar names', 'Acme', ['ACMES', 'THE ACME GROUP'], '01'],
		['many', 'Acme', [...'123456789'].map((one) => `ACME ${one}`), '01234'],
		['a dissolved one', 'Acme Ltd', ['ACME LTD'], '0', 'dissolved'],
	])('is to be checked where the register has %s', async (...row) => {
		const [, name, names, candidates, status] = row;
		answer(...names.map((one, n): Found => [`9900000${n}`, one, status]));
		const [found] = await findNames(name);
		expect(found).toMatchObject({ match: 'check', company_number: null, found_name: null });
		const numbers = found.candidates.map(({ company_number }) => company_number.slice(-1));
		expect(numbers.join('')).toBe(candidates);
	});
});

it.each<[string, string, unknown[]]>([
	['99000001', 'Tessellate Stores', ['exact', '99000001', 'TESSELLATE STORES PLC', 0]],
	['99718281', 'Tessellate Stores', ['differs', '99718281', 'EULER INSTRUMENTS LIMITED', 1]],
	['99718281', 'Euler Instruments LLP', ['differs', '99718281', 'EULER INSTRUMENTS LIMITED', 0]],
	['99123456', 'Quill & Inkwell Ltd', ['exact', '99123456', 'QUILL AND INKWELL LIMITED', 0]],
	// Whether the service finds by number is not documented.
	['97999999', 'Tessellate Stores plc', ['check', '97999999', null, 1]],
	['97999999', 'no such', ['none', '97999999', null, 0]],
])('a number that came with the name is never replaced: %s %s', async (number, name, expected) => {
	const [row] = await find([{ Name: name, 'Company No.': number }]);
	const { match, company_number, found_name, candidates } = row;
	expect([match, company_number, found_name, candidates.length]).toEqual(expected);
});

describe('searches', () => {
	it('for the name as written, and once more without its legal form where that finds nothing', async () => {
		// A spreadsheet may have several spaces, or one that does not break.
		await findNames('Tessellate \u00a0Stores  plc', 'The Acme Ltd', 'Célia');
		const names = ['Acme', 'Celia', 'Célia', 'Tessellate Stores plc', 'The Acme Ltd'];
		expect(searched().sort()).toEqual(names);
	});

	it('once for each text, and not at all without a name', async () => {
		const rows = await findNames('Acme', 'ACME', '', null, 'Ben', ' acme ');
		expect(rows.map(({ match }) => match)).toEqual(Array(6).fill('none'));
		expect(searched()).toEqual(['Acme', 'Ben']);
	});

	it('for what an expression gives, if there is one', async () => {
		const items = [{ 'Company name': 'Acme', other: 'Ben' }];
		await find(items, { companyName: '={{ $json.other }}' });
		expect(searched()).toEqual(['Ben']);
		const error = await failureOf(find(items, { companyName: '={{ $json }}' }));
		expect(error.message).toMatch(/^'Company Name' cannot be /);
	});
});

// test/e2e/examples/actions.ts has a loop.
describe('a service that goes away', () => {
	const NAMES = Array.from({ length: 40 }, (_, index) => `Circle Bakeries ${index}`);
	const CLIENTS = NAMES.map((Client) => ({ Client }));
	const run = async (items: IDataObject[] = CLIENTS) => {
		const { rows, hints } = await runShown(simulator, PARAMETERS, items);
		return { rows, hints, matches: map(rows, 'match') };
	};

	it('leaves what was found, and a second run asks for the others only', async () => {
		simulator.fault({ path: /search/, nth: 13, times: Infinity, action: { status: 500 } });
		const first = await run();
		const left = first.matches.filter((match) => match === 'not asked');
		expect(left.length).toBeGreaterThan(20);
		expect(left.length).toBeLessThan(40);
		const hint = /^\d\d of 40 companies were not searched: .+ \(HTTP 500\)/;
		expect(first.hints).toEqual([expect.stringMatching(hint)]);
		simulator.clearFaults();
		simulator.clearRequests();
		const second = await run(first.rows);
		expect(second.matches).toEqual(Array(40).fill('none'));
		expect(simulator.requests).toHaveLength(left.length);
	});

	it('is asked no more after a few searches where it refuses the key, which is an error', async () => {
		simulator.revokeApiKey(simulator.apiKey);
		const error = await failureOf(run());
		expect(error.message).toBe('The registry service did not accept the API key');
		expect(simulator.requests.length).toBeLessThan(20);
	});

	it('costs no more than the row where it cannot answer one name', async () => {
		const when = ({ query }: { query: Record<string, string> }) => query.q === NAMES[3];
		simulator.fault({ when, times: Infinity, action: { status: 400 } });
		const { matches } = await run();
		expect(matches.filter((match) => match === 'not asked')).toHaveLength(1);
	});
});
