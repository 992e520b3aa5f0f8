import { randomUUID } from 'node:crypto';

import { N8nRequestError, type N8nSession } from './n8nSession';
import type { WorkflowFile, WorkflowRecord } from './n8nTypes';
import { waitFor, type WaitOptions } from './waitFor';

/** What n8n does differently from one major release to the next, above all in its REST interface. */
export interface Release {
	/** What it needs in its environment, which that of a test wins over. */
	env: Record<string, string>;
	/** What the editor sends of a workflow file that is taken in. */
	imported(file: WorkflowFile): WorkflowFile;
	/** Publishes it and waits until that is done. Throws with n8n's message when it fails. */
	publish(session: N8nSession, workflow: WorkflowRecord, options: WaitOptions): Promise<void>;
	isPublished(session: N8nSession, workflowId: string): Promise<boolean>;
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
	async publish(session, workflow, options) {
		await activate(session, workflow);
		const { status, triggers } = await waitFor(
			`workflow ${workflow.id} to be published or refused`,
			async () => {
				const publication = await publicationOf(session, workflow.id);
				return ['published', 'failed'].includes(publication.status) && publication;
			},
			options,
		);
		const failed = triggers.find(({ errorMessage }) => errorMessage);
		if (status !== 'published') throw new Error(`Publishing failed: ${failed?.errorMessage}`);
	},
	isPublished: async (session, id) => (await publicationOf(session, id)).status !== 'not_published',
	publishesErrorWorkflows: true,
	manualRun: (_workflow, triggerName) => ({ triggerToStartFrom: { name: triggerName } }),
};

interface Publication {
	status: 'not_published' | 'in_progress' | 'published' | 'partial' | 'failed';
	triggers: Array<{ errorMessage: string | null }>;
}

async function publicationOf(session: N8nSession, id: string): Promise<Publication> {
	return await session.request('GET', `/workflows/${id}/publication-status`);
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
		try {
			await activate(session, workflow);
		} catch (error) {
			if (!(error instanceof N8nRequestError)) throw error;
			// What the editor shows of an answer that is an error.
			const { message }: { message: string } = JSON.parse(error.body);
			throw new Error(`Publishing failed: ${message}`);
		}
	},
	isPublished: async (session, id) =>
		(await session.request<WorkflowRecord>('GET', `/workflows/${id}`)).active,
	publishesErrorWorkflows: false,
	manualRun: (workflow, triggerName) => ({
		workflowData: workflow,
		triggerToStartFrom: { name: triggerName },
		startNodes: [],
	}),
};

async function activate(session: N8nSession, { id, versionId }: WorkflowRecord): Promise<void> {
	await session.request('POST', `/workflows/${id}/activate`, { versionId });
}
