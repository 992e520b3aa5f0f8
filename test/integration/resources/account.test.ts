// The account operations and their session token.
import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { runAction } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';
import { testWorkflow } from '../../support/contexts';

const simulator = serviceForEachTest();

const account = { resource: 'account' };

it.each([
	['getUsage', '/v1/usage'],
	['getKeys', '/v1/keys'],
])('%s returns the payload as received', async (operation, path) => {
	await runAction(simulator, { ...account, operation });
	expect(simulator.requests).toMatchObject([{ method: 'GET', path, status: 200 }]);
	const list = [{ a: 1 }, { b: 2 }];
	for (const [data, json] of [
		[{ items: [{ a: null }] }, { items: [{ a: null }] }],
		[list, { data: list }],
	]) {
		simulator.fault({ action: { status: 200, body: { data } } });
		const output = await runAction(simulator, { ...account, operation });
		expect(output).toEqual([{ json, pairedItem: { item: 0 } }]);
	}
});

describe('the credential', () => {
	const { description } = new CompanyRegistry();
	const shownFor = (parameters: INodeParameters): string[] => {
		const { node } = testWorkflow({ nodeType: new CompanyRegistry(), parameters });
		const fields = [...(description.credentials ?? []), ...description.properties];
		return fields
			.filter((field) => NodeHelpers.displayParameter(node.parameters, field, node, description))
			.map(({ name }) => name)
			.filter((name) => /^companyRegistry|^authentication$/.test(name));
	};

	// A workflow may have been saved with a choice, or was made in the editor of another version.
	it.each([{}, { authentication: 'apiKey' }])(
		'of Account is the session credential, the only one to choose: %j',
		async (saved) => {
			const parameters = { ...saved, resource: 'account', operation: 'getKeys' };
			expect(shownFor(parameters)).toEqual(['companyRegistrySessionApi']);
			await runAction(simulator, parameters);
			expect(simulator.requests).toMatchObject([{ path: '/v1/keys', status: 200 }]);
		},
	);

	it.each([
		[{}, 'companyRegistryApi'],
		[{ authentication: 'session' }, 'companyRegistrySessionApi'],
	])('of other resources is a choice: %j', (saved, type) => {
		expect(shownFor({ ...saved, resource: 'webhook' })).toEqual([type, 'authentication']);
	});
});
