// n8n runs no node in which it misses a parameter: each documented combination has to pass.
import type { INodeParameters } from 'n8n-workflow';

import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { missingParameters, testWorkflow } from '../../support/contexts';

const company = { companyNumber: { __rl: true, mode: 'list', value: '445790' } };
const pasted = { companiesFrom: 'numbers', companyNumbers: '445790' };

describe('the trigger runs', () => {
	it.each<[string, object]>([
		['a picked company', { companiesFrom: 'list', companies: { company: [company] } }],
		['pasted companies and no events', { ...pasted, events: [] }],
		['a link', { companiesFrom: 'link' }],
	])('with %s', (_what, parameters) => {
		expect(missingParameters(new CompanyRegistryTrigger(), parameters)).toBeNull();
	});

	it.each<[string, object, string]>([
		['a company', { companiesFrom: 'list' }, 'companyNumber'],
		['company numbers', {}, 'companyNumbers'],
	])('not without %s', (_what, parameters, name) => {
		expect(missingParameters(new CompanyRegistryTrigger(), parameters)).toEqual([name]);
	});
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
