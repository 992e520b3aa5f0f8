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

/** The workflow with the credential chosen in each node of this package, as a user does on import. */
export function withCredential(workflow: WorkflowFile, credential: Credential): WorkflowFile {
	return changed(workflow, ({ type }) => type.startsWith(`${PACKAGE}.`), chosen(credential));
}

/** The workflow with a mail server in its Send Email nodes, and addresses where they have none. */
export function withMail(workflow: WorkflowFile, smtp: Credential): WorkflowFile {
	const isMail = ({ type }: INode) => type === 'n8n-nodes-base.emailSend';
	const isEmpty = (node: INode) => isMail(node) && node.parameters.toEmail === '';
	const parameters = { fromEmail: 'n8n@example.com', toEmail: 'team@example.com' };
	return changed(changed(workflow, isEmpty, { parameters }), isMail, chosen(smtp));
}

/** The workflow with these parameters of one node filled in. */
export function withParameters(
	workflow: WorkflowFile,
	nodeName: string,
	parameters: INodeParameters,
): WorkflowFile {
	return changed(workflow, ({ name }) => name === nodeName, { parameters });
}

/** The workflow with these nodes activated or deactivated, as a user does with the key D. */
export function withDisabled(
	workflow: WorkflowFile,
	nodeNames: string[],
	disabled: boolean,
): WorkflowFile {
	return changed(workflow, ({ name }) => nodeNames.includes(name), { disabled });
}

/** A registry trigger alone, for these companies. */
export function triggerAlone(credential: Credential, companies: string[]): WorkflowFile {
	const companyNumbers = companies.join('\n');
	const parameters = { companiesFrom: 'numbers', companyNumbers, events: ['filing.new'] };
	const trigger = {
		...newNode(`${PACKAGE}.companyRegistryTrigger`, 'Company Registry Trigger', parameters),
		...chosen(credential),
	};
	return { name: 'Company alerts', nodes: [trigger], connections: {}, settings: SETTINGS };
}

/** Started by hand, a search that finds three companies. */
export function searchAlone(credential: Credential): WorkflowFile {
	const parameters = { resource: 'company', operation: 'search', query: 'limited', limit: 3 };
	return actionsInTurn(credential, { 'Search Companies': parameters });
}

/** Started by hand, action nodes one after the other: parameters by the name of the node. */
export function actionsInTurn(
	credential: Credential,
	steps: Record<string, INodeParameters>,
): WorkflowFile {
	const start = newNode('n8n-nodes-base.manualTrigger', 'Start');
	const actions = Object.entries(steps).map(([name, parameters], index) => ({
		...newNode(`${PACKAGE}.companyRegistry`, name, parameters, 260 * (index + 1)),
		...chosen(credential),
	}));
	const nodes = [start, ...actions];
	const connections = actions.map(({ name }, index) => {
		return [nodes[index].name, { main: [[{ node: name, type: 'main', index: 0 }]] }];
	});
	return {
		name: 'Company actions',
		nodes,
		connections: Object.fromEntries(connections),
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

function changed(
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
