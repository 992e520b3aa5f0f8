import { N8nRequestError, type N8nSession } from './n8nSession';
import type { Publication, WorkflowRecord } from './n8nTypes';

/** What n8n's REST interface does differently from one major release to the next. */
export interface Release {
	publish(session: N8nSession, workflow: WorkflowRecord): Promise<void>;
	unpublish(session: N8nSession, workflow: WorkflowRecord): Promise<void>;
	publication(session: N8nSession, workflow: WorkflowRecord): Promise<Publication>;
	/** Body of a manual run that starts at the trigger of that name. */
	manualRun(workflow: WorkflowRecord, triggerName: string): object;
}

/** `version` as n8n reports it, such as 2.40.7. */
export function releaseOf(version: string): Release {
	return Number(version.split('.')[0]) >= 2 ? release2 : release1;
}

/** Publishing is a version of the workflow handed to a background publisher. */
const release2: Release = {
	async publish(session, { id, versionId }) {
		await session.request('POST', `/workflows/${id}/activate`, { versionId });
	},
	async unpublish(session, { id }) {
		await session.request('POST', `/workflows/${id}/deactivate`, {});
	},
	async publication(session, { id }) {
		const { status, triggers } = await session.request<PublicationStatus>(
			'GET',
			`/workflows/${id}/publication-status`,
		);
		const failed = triggers.find(({ errorMessage }) => errorMessage);
		return { status, errorMessage: failed?.errorMessage ?? undefined };
	},
	manualRun: (_workflow, triggerName) => ({ triggerToStartFrom: { name: triggerName } }),
};

interface PublicationStatus {
	status: Publication['status'];
	triggers: Array<{ errorMessage: string | null }>;
}

/** Activating is an update of the workflow, which answers once the trigger is registered. */
const release1: Release = {
	async publish(session, { id, versionId }) {
		try {
			await session.request('PATCH', `/workflows/${id}`, { active: true, versionId });
		} catch (error) {
			if (!(error instanceof N8nRequestError)) throw error;
			failures.set(id, error.body);
			return;
		}
		failures.delete(id);
	},
	async unpublish(session, { id, versionId }) {
		await session.request('PATCH', `/workflows/${id}`, { active: false, versionId });
	},
	async publication(_session, { id, active }) {
		const errorMessage = failures.get(id);
		if (errorMessage) return { status: 'failed', errorMessage };
		return { status: active ? 'published' : 'not_published' };
	},
	manualRun: (workflow, triggerName) => ({
		workflowData: workflow,
		triggerToStartFrom: { name: triggerName },
		startNodes: [],
	}),
};

/** Why the last activation of a workflow failed; 1.x says so only in its answer. */
const failures = new Map<string, string>();
