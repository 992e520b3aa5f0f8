import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INode, INodeParameters } from 'n8n-workflow';

import type { Credential, WorkflowFile } from './n8nTypes';

const PACKAGE = 'n8n-nodes-company-registry';
const SETTINGS = { executionOrder: 'v1' } as const;

/** Reads `examples/<name>.json`. */
export function exampleWorkflow(name: string): WorkflowFile {
	return JSON.parse(readFileSync(join(__dirname, '../../examples', `${name}.json`), 'utf8'));
}

/** The workflow with these parameters of one node filled in. */
export function withParameters(
	workflow: WorkflowFile,
	nodeName: string,
	parameters: INodeParameters,
): WorkflowFile {
	return withNodes(workflow, ({ name }) => name === nodeName, { parameters });
}

/** The workflow with these changes of some nodes, whose other parameters stay. */
export function withNodes(
	workflow: WorkflowFile,
	isMeant: (node: INode) => boolean,
	{ parameters, ...rest }: Partial<INode>,
): WorkflowFile {
	const change = (node: INode) => ({
		...node,
		...rest,
		parameters: { ...node.parameters, ...parameters },
	});
	return {
		...workflow,
		nodes: workflow.nodes.map((node) => (isMeant(node) ? change(node) : node)),
	};
}

/** A registry trigger alone, for these companies. */
export function triggerAlone(credential: Credential, companies: string[]): WorkflowFile {
	const companyNumbers = companies.join('\n');
	const parameters = { companiesFrom: 'numbers', companyNumbers, events: ['filing.new'] };
	const trigger = {
		...newNode(`${PACKAGE}.companyRegistryTrigger`, 'Company Registry Trigger', parameters),
		...chosen(credential),
		typeVersion: 1.1,
	};
	return { name: 'Company alerts', nodes: [trigger], connections: {}, settings: SETTINGS };
}

/** Started by hand, a search that finds three companies. */
export function searchAlone(credential: Credential): WorkflowFile {
	const parameters = { resource: 'company', operation: 'search', query: 'limited', limit: 3 };
	const start = newNode('n8n-nodes-base.manualTrigger', 'Start');
	const search = newNode(`${PACKAGE}.companyRegistry`, 'Search Companies', parameters, 260);
	return {
		name: 'Company search',
		nodes: [start, { ...search, ...chosen(credential) }],
		connections: { Start: { main: [[{ node: search.name, type: 'main', index: 0 }]] } },
		settings: SETTINGS,
	};
}

/** A node with an id of its own. */
export function newNode(
	type: string,
	name: string,
	parameters: INodeParameters = {},
	x = 0,
): INode {
	return { id: randomUUID(), name, type, typeVersion: 1, position: [x, 0], parameters };
}

/** With this credential in a node. */
export function chosen({ id, name, type }: Credential): Pick<INode, 'credentials'> {
	return { credentials: { [type]: { id, name } } };
}
