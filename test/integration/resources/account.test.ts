// The account operations and their session token.
import { map } from 'lodash';
import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { runAction } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';
import { testWorkflow } from '../../support/contexts';

const simulator = serviceForEachTest();

it.each([
	['getUsage', '/v1/usage'],
	['getKeys', '/v1/keys'],
])('%s returns the payload as received', async (operation, path) => {
	const list = [{ a: 1 }, { b: 2 }];
	for (const [data, json] of [
		[{ items: [{ a: null }] }, { items: [{ a: null }] }],
		[list, { data: list }],
	]) {
		simulator.fault({ action: { status: 200, body: { data } } });
		const parameters = { resource: 'account', operation, authentication: 'apiKey' };
		const output = await runAction(simulator, parameters);
		expect(output).toEqual([{ json, pairedItem: { item: 0 } }]);
	}
	expect(simulator.requests).toMatchObject(Array(2).fill({ method: 'GET', path, status: 200 }));
});

// A workflow may have been saved with a choice, or was made in the editor of another version.
it.each<[string, INodeParameters, string[]]>([
	['account', {}, ['companyRegistrySessionApi']],
	['account', { authentication: 'apiKey' }, ['companyRegistrySessionApi']],
	['webhook', {}, ['companyRegistryApi', 'authentication']],
	['webhook', { authentication: 'session' }, ['companyRegistrySessionApi', 'authentication']],
])('%s with %j shows %j', (resource, choice, shown) => {
	const nodeType = new CompanyRegistry();
	const { credentials = [], properties } = nodeType.description;
	const { node } = testWorkflow({ nodeType, parameters: { ...choice, resource } });
	const fields = [...credentials, ...properties].filter((field) =>
		NodeHelpers.displayParameter(node.parameters, field, node, nodeType.description),
	);
	const names = map(fields, 'name').filter((name) => /^companyRegistry|^auth/.test(name));
	expect(names).toEqual(shown);
});
