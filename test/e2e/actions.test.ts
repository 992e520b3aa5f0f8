// The action node in a real n8n: its error output, and the fields that the editor offers.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INode } from 'n8n-workflow';

import { actionsInTurn } from '../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../n8n-host/execution';
import { useSurroundings } from './surroundings';

const surroundings = useSurroundings({ isWhole: true });

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

// From these the editor offers a node's fields to drag before its first run.
it('n8n hands out the fields of every output that is documented, and of no other', async () => {
	const fieldsOf = async (node: string, path: string) => {
		const type = `n8n-nodes-company-registry.${node}`;
		const answer = await fetch(`${surroundings.host.url}/schemas/${type}/${path}.json`);
		return answer.ok ? await answer.json() : answer.status;
	};
	const folder = join(__dirname, '../../nodes/CompanyRegistry/__schema__');
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
	for (const file of files.filter((name) => name.endsWith('.json'))) {
		const path = file.slice('v'.length, -'.json'.length);
		const node = path.includes('/') ? 'companyRegistry' : 'companyRegistryTrigger';
		const content = JSON.parse(readFileSync(join(folder, file), 'utf8'));
		expect(await fieldsOf(node, path)).toEqual(content);
	}
	expect(await fieldsOf('companyRegistry', '1.0.0/company/getByPath')).toBe(404);
});
