// n8n runs no node in which it misses a parameter: each documented combination of both nodes has to pass.
import { map } from 'lodash';
import { NodeHelpers, type INodeParameters, type INodeType } from 'n8n-workflow';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { testWorkflow } from '../../support/contexts';
import { offeredOperations } from '../../support/operations';

const chosen = (value: unknown, mode: string) => ({ __rl: true, mode, value });
const company = chosen('445790', 'number');
const webhook = chosen('wh_1', 'id');
const url = 'https://receiver.example.com/hook';
const pick = (companyNumber: unknown) => ({
	companiesFrom: 'list',
	companies: { company: [{ companyNumber }] },
});
const pasted = { companiesFrom: 'numbers', companyNumbers: '445790' };
const scheme = { header: 'X-Seal', content: '{timestamp}.{body}', timestampHeader: 'X-Time' };

const options = {
	...{ addressChanged: 'move', allowLargeRemovals: true, checkEvery: 'day' },
	signature: { scheme, tolerance: { seconds: 60 } },
};

/** What n8n misses, by parameter; null where it runs the node. */
function missing(nodeType: INodeType, parameters: object) {
	const { node } = testWorkflow({ nodeType, parameters: parameters as INodeParameters });
	const { properties } = nodeType.description;
	const issues = NodeHelpers.getNodeParametersIssues(properties, node, nodeType.description);
	return issues && Object.keys(issues.parameters ?? {});
}

describe('the trigger runs', () => {
	it.each<[string, object]>([
		['a picked company', pick(chosen('445790', 'list'))],
		['companies by number', pick(company)],
		['pasted companies', { ...pasted, events: ['filing.new', 'officer.appointed', 'psc.added'] }],
		['additional events alone', { ...pasted, events: [], options: { additionalEvents: '*' } }],
		['a link', { companiesFrom: 'link' }],
		['every other option', { ...pasted, options }],
	])('with %s', (_what, parameters) => {
		expect(missing(new CompanyRegistryTrigger(), parameters)).toBeNull();
	});

	it.each<[string, object, string]>([
		['a company', { companiesFrom: 'list' }, 'companyNumber'],
		['company numbers', {}, 'companyNumbers'],
	])('not without %s', (_what, parameters, name) => {
		expect(missing(new CompanyRegistryTrigger(), parameters)).toEqual([name]);
	});
});

describe('the action node runs', () => {
	const recordPath = '/v1/x/{company_number}';
	/** What any operation needs. */
	const filled = { query: 'a', companyNumber: company, recordPath, webhookId: webhook, url };
	const operations = offeredOperations().map(
		({ resource, operation }) => [String(resource.value), String(operation.value)] as const,
	);

	it.each(operations)('%s/%s', (resource, operation) => {
		expect(missing(new CompanyRegistry(), { ...filled, resource, operation })).toBeNull();
	});

	it.each<[string, string, object]>([
		['companyList', 'compare', { source: 'text', text: '99000001' }],
		['webhook', 'create', { companyNumber: company, url, events: [], additionalEvents: 'a.b' }],
		['webhook', 'getAll', { returnAll: true }],
		['webhook', 'getAll', { limit: 5, filters: { companyNumber: company, status: 'paused' } }],
		['webhook', 'update', { webhookId: webhook, updateFields: { url } }],
	])('%s/%s %j', (resource, operation, parameters) => {
		expect(missing(new CompanyRegistry(), { resource, operation, ...parameters })).toBeNull();
	});

	it.each<[string, string, string[]]>([
		['company', 'search', ['query']],
		['company', 'getByPath', ['companyNumber', 'recordPath']],
		['company', 'getOfficers', ['companyNumber']],
		['webhook', 'create', ['companyNumber', 'url']],
		['webhook', 'pause', ['webhookId']],
	])('not without what %s/%s needs', (resource, operation, names) => {
		expect(missing(new CompanyRegistry(), { resource, operation })).toEqual(names);
	});
});

// A workflow may have been saved with a choice, or was made in the editor of another version.
it.each<[string, INodeParameters, string[]]>([
	['account', {}, ['companyRegistrySessionApi']],
	['account', { authentication: 'apiKey' }, ['companyRegistrySessionApi']],
	['webhook', {}, ['companyRegistryApi', 'authentication']],
	['webhook', { authentication: 'session' }, ['companyRegistrySessionApi', 'authentication']],
])('of its credentials, %s with %j shows %j', (resource, choice, shown) => {
	const nodeType = new CompanyRegistry();
	const { credentials = [], properties } = nodeType.description;
	const { node } = testWorkflow({ nodeType, parameters: { ...choice, resource } });
	const fields = [...credentials, ...properties].filter((field) =>
		NodeHelpers.displayParameter(node.parameters, field, node, nodeType.description),
	);
	const names = map(fields, 'name').filter((name) => /^companyRegistry|^auth/.test(name));
	expect(names).toEqual(shown);
});

it.each<[string, INodeParameters, string]>([
	['the chosen events', { events: ['filing.new', 'psc.added'] }, 'New Filing, PSC Added'],
	['additional ones, too', { events: ['a'], options: { additionalEvents: 'b.c' } }, 'a, b.c'],
	['nothing where none is chosen', { events: [] }, ''],
	['nothing where n8n has stored no events', {}, ''],
])("below the trigger's name stands %s", (_what, parameters, expected) => {
	const nodeType = new CompanyRegistryTrigger();
	const { workflow, node } = testWorkflow({ nodeType });
	node.parameters = parameters;
	const { subtitle } = nodeType.description;
	const shown = workflow.expression.getSimpleParameterValue(node, subtitle, 'internal', {});
	expect(shown).toBe(expected);
});
