import { randomUUID } from 'node:crypto';

import { N8nRequestError, type N8nSession } from './n8nSession';
import type { Publication, WorkflowFile, WorkflowRecord } from './n8nTypes';

/** What n8n does differently from one major release to the next, above all in its REST interface. */
export interface Release {
	/** What it needs in its environment, which that of a test wins over. */
	env: Record<string, string>;
	/** What the editor sends of a workflow file that is taken in. */
	imported(file: WorkflowFile): WorkflowFile;
	publish(session: N8nSession, workflow: WorkflowRecord): Promise<void>;
	publication(session: N8nSession, workflowId: string): Promise<Publication>;
	/** Whether an error workflow is started only once it is published. */
	publishesErrorWorkflows: boolean;
	/** Body of a manual run that starts at the trigger of that name. */
	manualRun(workflow: WorkflowRecord, triggerName: string): object;
}

/** `version` such as 2.41.1. */
export function releaseOf(version: string): Release {
	return Number(version.split('.')[0]) >= 2 ? release2 : release1;
}

/** Publishing hands a version of the workflow to a background publisher. */
const release2: Release = {
	env: {},
	imported: (file) => file,
	publish,
	async publication(session, id) {
		const { status, triggers } = await session.request<PublicationStatus>(
			'GET',
			`/workflows/${id}/publication-status`,
		);
		const failed = triggers.find(({ errorMessage }) => errorMessage);
		return { status, errorMessage: failed?.errorMessage ?? undefined };
	},
	publishesErrorWorkflows: true,
	manualRun: (_workflow, triggerName) => ({ triggerToStartFrom: { name: triggerName } }),
};

interface PublicationStatus {
	status: Publication['status'];
	triggers: Array<{ errorMessage: string | null }>;
}

/** Publishing answers once the trigger is registered, and its answer alone says why it failed. */
const release1: Release = {
	// It does not start when told to leave out a module that it does not have.
	env: { N8N_DISABLED_MODULES: '' },
	// Its editor gives a trigger its webhook path; n8n 2 does that itself.
	imported: (file) => ({
		...file,
		nodes: file.nodes.map((node) =>
			node.type.endsWith('Trigger') ? { webhookId: randomUUID(), ...node } : node,
		),
	}),
	async publish(session, workflow) {
		failures.delete(workflow.id);
		try {
			await publish(session, workflow);
		} catch (error) {
			if (!(error instanceof N8nRequestError)) throw error;
			failures.set(workflow.id, messageIn(error.body));
		}
	},
	async publication(session, id) {
		const errorMessage = failures.get(id);
		if (errorMessage) return { status: 'failed', errorMessage };
		const { active } = await session.request<WorkflowRecord>('GET', `/workflows/${id}`);
		return { status: active ? 'published' : 'not_published' };
	},
	publishesErrorWorkflows: false,
	manualRun: (workflow, triggerName) => ({
		workflowData: workflow,
		triggerToStartFrom: { name: triggerName },
		startNodes: [],
	}),
};

const failures = new Map<string, string>();

/** What the editor shows of an answer that is an error. */
function messageIn(body: string): string {
	const { message }: { message: string } = JSON.parse(body);
	return message;
}

async function publish(session: N8nSession, { id, versionId }: WorkflowRecord): Promise<void> {
	await session.request('POST', `/workflows/${id}/activate`, { versionId });
}
