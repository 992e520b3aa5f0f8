// Get, Get Officers, Get PSCs and Get Filings: their paths come from the credential, whose form
// test/e2e/editor/nodes.ts shows.
import { mapValues } from 'lodash';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SERVICE_PATHS } from '../../../nodes/CompanyRegistry/registry/servicePaths';
import { actionSetup, byNumber, failureOf } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';
import { runNode } from '../../support/contexts';

const simulator = serviceForEachTest();

/** The service's paths are not documented; these are made up. */
const PATHS = {
	companyPath: '/v1/some-company/{company_number}',
	officersPath: '/v1/some-officers/{company_number}',
	pscsPath: 'GET {base_url}/v1/some-pscs?of={company_number}',
	filingsPath: 'some-filings/{company_number}',
};

/** Runs an operation with these fields in each credential as well. */
async function run(operation: string, paths: IDataObject, parameters: INodeParameters = {}) {
	const named = { resource: 'company', operation, companyNumber: byNumber('445790') };
	const { credentials = {}, ...setup } = actionSetup(simulator, { ...named, ...parameters });
	const withPaths = mapValues(credentials, (data) => ({ ...data, recordPaths: true, ...paths }));
	return await runNode({ ...setup, credentials: withPaths }, [{ json: {} }]);
}

const asked = () => simulator.requests.map(({ path, query }) => ({ path, query }));
const OPERATIONS = [
	['get', '/v1/some-company/00445790', {}],
	['getOfficers', '/v1/some-officers/00445790', {}],
	['getPscs', '/v1/some-pscs', { of: '00445790' }],
	['getFilings', '/v1/some-filings/00445790', {}],
] as const;

it.each(OPERATIONS)('%s asks %s and returns one item for each entry', async (...row) => {
	const [operation, path, query] = row;
	simulator.fault({ action: { status: 200, body: { data: [{ name: 'A' }, { name: 'B' }] } } });
	const output = await run(operation, PATHS);
	expect(output).toEqual(['A', 'B'].map((name) => ({ json: { name }, pairedItem: { item: 0 } })));
	expect(asked()).toEqual([{ path, query }]);
});

it.each([
	['get', {}, 'The path of the company record is not set', 'Company Registry API'],
	['getOfficers', {}, 'The path of officers is not set', 'Company Registry API'],
	['getPscs', {}, 'The path of PSCs is not set', 'Company Registry API'],
	[
		'getFilings',
		{ authentication: 'session' },
		'The path of filings is not set',
		'Company Registry Session API',
	],
])('%s with %j says where to enter its path', async (operation, parameters, message, name) => {
	const paths = { ...PATHS, companyPath: ' ', officersPath: '', pscsPath: null, filingsPath: '' };
	const error = await failureOf(run(operation, paths, parameters));
	expect(error.message).toBe(message);
	expect(error.description).toContain(`Enter it in the credential '${name}' under Record Paths.`);
	expect(simulator.requests).toEqual([]);
});

it('an operation refuses an invalid path before any request; others run', async () => {
	const officersPath = 'https://evil.example/{company_number}';
	const error = await failureOf(run('getOfficers', { officersPath }));
	expect(error.message).toMatch(
		/^'Officers Path' in the credential 'Company Registry API' cannot be used: it /,
	);
	expect(error.description).toContain('{company_number}');
	expect(simulator.requests).toEqual([]);
	await run('search', { officersPath }, { query: 'euler' });
	expect(simulator.requests).toHaveLength(1);
});

it("the service's own path counts before that of the credential", async () => {
	simulator.fault({ path: /known/, action: { status: 200, body: { data: {} } } });
	SERVICE_PATHS.officers = '/v1/known/{company_number}';
	await run('getOfficers', PATHS).finally(() => delete SERVICE_PATHS.officers);
	expect(asked()).toEqual([{ path: '/v1/known/00445790', query: {} }]);
});
