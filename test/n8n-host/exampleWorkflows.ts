import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Credential, WorkflowFile } from './n8nTypes';

const PACKAGE = 'n8n-nodes-company-registry';

/** Reads `examples/<name>.json`. */
export function exampleWorkflow(name: string): WorkflowFile {
	return JSON.parse(readFileSync(join(__dirname, '../../examples', `${name}.json`), 'utf8'));
}

/** The workflow with the credential chosen in each node of this package, as a user does on import. */
export function withCredential(workflow: WorkflowFile, credential: Credential): WorkflowFile {
	const { id, name, type } = credential;
	return {
		...workflow,
		nodes: workflow.nodes.map((node) =>
			node.type.startsWith(`${PACKAGE}.`)
				? { ...node, credentials: { [type]: { id, name } } }
				: node,
		),
	};
}
