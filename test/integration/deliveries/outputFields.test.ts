// The fields that n8n is told of before the trigger's first run are those of a delivery.
import type { INodeParameters } from 'n8n-workflow';

import { triggerOutputSchema } from '../../support/outputSchemas';
import {
	saved,
	startTriggerHarness,
	watching,
	type TriggerHarness,
} from '../../support/triggerHarness';

let harness: TriggerHarness;

beforeAll(async () => {
	harness = await startTriggerHarness();
});
afterAll(async () => await harness.close());

/** What a delivery for the first of the companies puts out. */
async function outputOf(parameters: INodeParameters, payload: object) {
	const workflow = harness.workflow({ parameters });
	await harness.publish(workflow);
	harness.simulator.clearRequests();
	const served = harness.workflow({ parameters, staticData: saved(workflow) });
	const executions = harness.serve(served);
	const [{ id }] = harness.simulator.webhooks();
	await harness.simulator.deliver(id, { payload, ca: harness.proxy.ca });
	expect(harness.simulator.requests).toEqual([]);
	return executions[0][0].json;
}

const picked: INodeParameters = {
	companies: {
		company: [
			{
				companyNumber: {
					__rl: true,
					mode: 'list',
					value: '99000001',
					cachedResultName: 'TESSELLATE STORES PLC · 99000001 · active',
				},
			},
		],
	},
};

it.each<[string, INodeParameters, object, object]>([
	[
		'of a picked company, with an event that can be chosen',
		picked,
		{ event: 'filing.new', any: { thing: 1 } },
		{ event_name: 'New Filing', company_name: 'TESSELLATE STORES PLC' },
	],
	[
		'of a company pasted with its name, with another event',
		watching('Company Number\tName', '99000001\tTessellate Stores plc'),
		{ event: 'company.dissolved' },
		{
			event: 'company.dissolved',
			event_name: null,
			company_name: 'Tessellate Stores plc',
		},
	],
	[
		'of a company pasted without one, with no event',
		watching('99000001'),
		{ any: 'thing' },
		{ event: null, event_name: null, company_name: null },
	],
])('a delivery %s has them, and no others', async (_what, parameters, payload, expected) => {
	const json = await outputOf(parameters, payload);
	expect(json).toMatchObject({ ...expected, company_number: '99000001', payload });
	expect(triggerOutputSchema.parse(json)).toEqual(json);
	expect(Object.keys(json)).toEqual(Object.keys(triggerOutputSchema.shape));
});
