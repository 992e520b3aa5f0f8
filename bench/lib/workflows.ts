import type { IDataObject, INode } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

import type { Credential, WorkflowFile } from '../../test/n8n-host/n8nTypes';

export const PACKAGE = 'n8n-nodes-company-registry';

/** So many different company numbers, others from another start. */
export function companyNumbers(count: number, start = 0): string[] {
	return Array.from({ length: count }, (_, index) => String(10_000_000 + start + index));
}

export function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: INode['parameters'],
	credential?: Credential,
): INode {
	return {
		id: randomUUID(),
		name,
		type,
		typeVersion,
		position: [0, 0],
		webhookId: randomUUID(),
		parameters,
		...(credential && {
			credentials: { [credential.type]: { id: credential.id, name: credential.name } },
		}),
	};
}

/** The nodes, each connected to the next. */
export function chain(name: string, nodes: INode[]): WorkflowFile {
	const connections = Object.fromEntries(
		nodes
			.slice(1)
			.map((next, index) => [
				nodes[index].name,
				{ main: [[{ node: next.name, type: 'main' as const, index: 0 }]] },
			]),
	);
	return { name, nodes, connections, settings: { executionOrder: 'v1' } };
}

/** Our trigger for so many companies, with one node behind it that does nothing. */
export function registryWorkflow(
	companies: number,
	credential: Credential,
	start = 0,
): WorkflowFile {
	return chain(`${companies} companies`, [
		registryTrigger(companies, credential, start),
		nothing(),
	]);
}

/** A table of so many companies with five columns. */
export function tableOf(companies: number): string {
	const rows = companyNumbers(companies).map((number, index) =>
		[number, `Client ${index} Limited`, `Partner ${index % 9}`, '31 March', `C${index}`].join('\t'),
	);
	return ['Company number\tName\tPartner\tYear end\tRef', ...rows].join('\n');
}

/** Our trigger with a table, pasted or behind the link of a credential. */
export function tableWorkflow(
	table: string,
	credential: Credential,
	link?: Credential,
): WorkflowFile {
	const trigger = registryTrigger(0, credential);
	trigger.parameters.companyNumbers = link ? '' : table;
	trigger.parameters.companiesFrom = link ? 'link' : 'numbers';
	if (link)
		trigger.credentials = { ...trigger.credentials, [link.type]: { id: link.id, name: link.name } };
	return chain(link ? 'A followed table' : 'A pasted table', [trigger, nothing()]);
}

/** n8n's own trigger that also verifies an HMAC over the body, with the same node behind it. */
export function githubWorkflow(credential: Credential): WorkflowFile {
	return chain('GitHub', [githubTrigger(credential), nothing()]);
}

/** Both triggers, each with the node behind it. */
export function bothTriggersWorkflow(
	companies: number,
	registryCredential: Credential,
	githubCredential: Credential,
): WorkflowFile {
	const workflow = registryWorkflow(companies, registryCredential);
	const github = { ...githubTrigger(githubCredential), name: 'GitHub' };
	const [behind] = Object.values(workflow.connections);
	return {
		...workflow,
		nodes: [...workflow.nodes, github],
		connections: { ...workflow.connections, [github.name]: behind },
	};
}

function registryTrigger(companies: number, credential: Credential, start = 0): INode {
	const parameters = {
		companiesFrom: 'numbers',
		// The heading says that none of them is a date.
		companyNumbers: ['Company number', ...companyNumbers(companies, start)].join('\n'),
		events: ['filing.new'],
	};
	return node('Trigger', `${PACKAGE}.companyRegistryTrigger`, 1.1, parameters, credential);
}

function githubTrigger(credential: Credential): INode {
	const name = (value: string): IDataObject => ({ __rl: true, mode: 'name', value });
	const parameters = {
		authentication: 'accessToken',
		owner: name('owner'),
		repository: name('repository'),
		events: ['push'],
		options: {},
	} as INode['parameters'];
	return node('Trigger', 'n8n-nodes-base.githubTrigger', 1, parameters, credential);
}

function nothing(): INode {
	return node('Nothing', 'n8n-nodes-base.noOp', 1, {});
}
