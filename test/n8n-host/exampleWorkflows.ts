import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INode, INodeParameters } from 'n8n-workflow';

import type { Credential, WorkflowFile } from './n8nTypes';

const PACKAGE = 'n8n-nodes-company-registry';

/** Reads `examples/<name>.json`. */
export function exampleWorkflow(name: string): WorkflowFile {
	return JSON.parse(readFileSync(join(__dirname, '../../examples', `${name}.json`), 'utf8'));
}

/** The workflow with the credential chosen in each node of this package, as a user does on import. */
export function withCredential(workflow: WorkflowFile, credential: Credential): WorkflowFile {
	return changed(workflow, ({ type }) => type.startsWith(`${PACKAGE}.`), chosen(credential));
}

/** The workflow with a mail server and addresses in its Send Email nodes. */
export function withMail(workflow: WorkflowFile, smtp: Credential): WorkflowFile {
	const parameters = { fromEmail: 'n8n@example.com', toEmail: 'partner@example.com' };
	const isMail = ({ type }: INode) => type === 'n8n-nodes-base.emailSend';
	return changed(workflow, isMail, { ...chosen(smtp), parameters });
}

/** The workflow with these parameters of one node filled in. */
export function withParameters(
	workflow: WorkflowFile,
	nodeName: string,
	parameters: INodeParameters,
): WorkflowFile {
	return changed(workflow, ({ name }) => name === nodeName, { parameters });
}

/** The trigger of alert-on-new-filings alone, filled in: a workflow that needs no mail server. */
export function alertWithoutMail(credential: Credential, companies: string[]): WorkflowFile {
	const { nodes, ...example } = withCredential(exampleWorkflow('alert-on-new-filings'), credential);
	const company = companies.map((value) => ({
		companyNumber: { __rl: true, mode: 'number', value },
	}));
	const workflow = { ...example, nodes: nodes.slice(0, 1), connections: {} };
	return withParameters(workflow, nodes[0].name, { companies: { company } });
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
