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

/** A registry trigger alone, with these companies picked by number. */
export function triggerAlone(credential: Credential, companies: string[]): WorkflowFile {
	const company = companies.map((value) => ({
		companyNumber: { __rl: true, mode: 'number', value },
	}));
	const trigger = {
		...ownNode('companyRegistryTrigger', 'Company Registry Trigger', {
			companiesFrom: 'list',
			companies: { company },
			events: ['filing.new'],
			options: {},
		}),
		...chosen(credential),
	};
	return { name: 'Company alerts', nodes: [trigger], connections: {}, settings: SETTINGS };
}

/** Started by hand, a search that finds three companies. */
export function searchAlone(credential: Credential): WorkflowFile {
	const start: INode = {
		id: randomUUID(),
		name: 'Start',
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const parameters = { resource: 'company', operation: 'search', query: 'limited', limit: 3 };
	const search = {
		...ownNode('companyRegistry', 'Search Companies', { authentication: 'apiKey', ...parameters }),
		...chosen(credential),
		position: [260, 0] as [number, number],
	};
	const toSearch = [{ node: search.name, type: 'main' as const, index: 0 }];
	return {
		name: 'Search companies',
		nodes: [start, search],
		connections: { [start.name]: { main: [toSearch] } },
		settings: SETTINGS,
	};
}

function ownNode(type: string, name: string, parameters: INodeParameters): INode {
	return {
		id: randomUUID(),
		name,
		type: `${PACKAGE}.${type}`,
		typeVersion: 1,
		position: [0, 0],
		parameters,
	};
}

function chosen({ id, name, type }: Credential): Pick<INode, 'credentials'> {
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
