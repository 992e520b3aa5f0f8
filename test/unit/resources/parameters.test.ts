// n8n runs no node in which it misses a parameter. A new operation needs no row here.
import { map } from 'lodash';
import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { missingParameters, testWorkflow } from '../../support/contexts';
import { offeredOperations } from '../../support/operations';

const nodeType = new CompanyRegistry();

/** Something in each required field. */
const filled = Object.fromEntries(
	nodeType.description.properties
		.filter(({ required }) => required)
		.map(({ name, type }) => {
			const value = 'x';
			return [name, type === 'resourceLocator' ? { __rl: true, mode: 'list', value } : value];
		}),
);
const operations = offeredOperations().map(
	({ resource, operation }) => [String(resource.value), String(operation.value)] as const,
);

it.each(operations)('%s/%s runs once its required fields are filled', (resource, operation) => {
	expect(missingParameters(nodeType, { ...filled, resource, operation })).toBeNull();
});

it.each<[string, string, string[]]>([
	['company', 'search', ['query']],
	['company', 'getByPath', ['companyNumber', 'recordPath']],
	['company', 'getOfficers', ['companyNumber']],
	['webhook', 'create', ['companyNumber', 'url']],
	['webhook', 'pause', ['webhookId']],
])('%s/%s does not run without its required fields', (resource, operation, names) => {
	expect(missingParameters(nodeType, { resource, operation })).toEqual(names);
});

// A workflow may have been saved with a choice, or was made in the editor of another version.
it.each<[string, INodeParameters, string[]]>([
	['account', {}, ['companyRegistrySessionApi']],
	['account', { authentication: 'apiKey' }, ['companyRegistrySessionApi']],
	['webhook', {}, ['companyRegistryApi', 'authentication']],
	['webhook', { authentication: 'session' }, ['companyRegistrySessionApi', 'authentication']],
])('of its credentials, %s with %j shows %j', (resource, choice, shown) => {
	const { credentials = [], properties } = nodeType.description;
	const { node } = testWorkflow({ nodeType, parameters: { ...choice, resource } });
	const fields = [...credentials, ...properties].filter((field) =>
		NodeHelpers.displayParameter(node.parameters, field, node, nodeType.description),
	);
	const names = map(fields, 'name').filter((name) => /^companyRegistry|^auth/.test(name));
	expect(names).toEqual(shown);
});
