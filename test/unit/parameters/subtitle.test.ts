// What stands below the trigger's name on the canvas, as n8n's editor works it out.
import type { INodeParameters } from 'n8n-workflow';

import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { testWorkflow } from '../../support/contexts';

it.each<[string, INodeParameters, string]>([
	['the chosen events', { events: ['filing.new', 'psc.added'] }, 'filing.new, psc.added'],
	[
		'additional ones behind them',
		{ events: ['filing.new'], options: { additionalEvents: 'a.b' } },
		'filing.new, a.b',
	],
	['nothing where none is chosen', { events: [] }, ''],
	['nothing where n8n has stored no events', {}, ''],
])('is %s', (_what, parameters, expected) => {
	const nodeType = new CompanyRegistryTrigger();
	const { workflow, node } = testWorkflow({ nodeType });
	node.parameters = parameters;
	const { subtitle } = nodeType.description;
	expect(workflow.expression.getSimpleParameterValue(node, subtitle, 'internal', {})).toBe(
		expected,
	);
});
