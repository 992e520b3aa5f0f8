// n8n runs no node in which it misses a parameter: each documented combination has to pass.
import type { INodeParameters } from 'n8n-workflow';

import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { missingParameters, testWorkflow } from '../../support/contexts';

const chosen = (value: unknown, mode: string) => ({ __rl: true, mode, value });
const company = chosen('445790', 'number');
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

describe('the trigger runs', () => {
	it.each<[string, object]>([
		['a picked company', pick(chosen('445790', 'list'))],
		['companies by number', pick(company)],
		['pasted companies', { ...pasted, events: ['filing.new', 'officer.appointed', 'psc.added'] }],
		['additional events alone', { ...pasted, events: [], options: { additionalEvents: '*' } }],
		['a link', { companiesFrom: 'link' }],
		['every other option', { ...pasted, options }],
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
