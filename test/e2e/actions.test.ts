// The action node in a real n8n: its error output.
import type { INode } from 'n8n-workflow';

import { actionsInTurn } from '../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../n8n-host/execution';
import { useSurroundings } from './surroundings';

const surroundings = useSurroundings();

it('a failed item goes to the error output, with what the service sent', async () => {
	const { client, credential, simulator } = surroundings;
	const refused = { error: 'no_such_company', message: 'It is not in the register', status: 404 };
	simulator.fault({ path: /records/, action: { status: 404, body: refused } });
	const file = actionsInTurn(credential, {
		Search: { resource: 'company', operation: 'search', query: 'tessellate', limit: 1 },
		Record: {
			resource: 'company',
			operation: 'getByPath',
			companyNumber: { __rl: true, mode: 'number', value: '={{ $json.company_number }}' },
			recordPath: '/v1/records/{company_number}',
		},
	});
	const nodes = file.nodes.map((node): INode => {
		return node.name === 'Record' ? { ...node, onError: 'continueErrorOutput' } : node;
	});
	const { id } = await client.createWorkflow({ ...file, nodes });

	const execution = await client.runToEnd(id, 'Start');

	expect(errorOf(execution)).toBeUndefined();
	expect(outputOf(execution, 'Record', 0)).toEqual([]);
	const [{ json }] = outputOf(execution, 'Record', 1);
	expect(json).toMatchObject({
		// n8n adds the fields of the input item.
		company_number: '99000001',
		error: 'The registry service has nothing at this address',
		service_error: refused,
	});
});
