import { randomUUID } from 'node:crypto';

import { parse } from 'flatted';
import { uniqBy } from 'lodash';

import type {
	Credential,
	Execution,
	ExecutionSummary,
	WorkflowFile,
	WorkflowRecord,
} from './n8nTypes';
import { waitFor, type WaitOptions } from './waitFor';

export const defaultOwner = {
	email: 'owner@example.com',
	password: 'Registry-Demo-1',
	firstName: 'Olivia',
	lastName: 'Owner',
};

/** `partial`: one trigger of the workflow has failed, and others have not. */
const ENDED = ['published', 'partial', 'failed'];
const finished = ['success', 'error', 'canceled', 'crashed'];

interface Publication {
	status: 'not_published' | 'in_progress' | 'published' | 'partial' | 'failed';
	triggers: Array<{ errorMessage: string | null }>;
}

/** Does what a user does in n8n's editor, over the REST interface that the editor uses. */
export class N8nClient {
	/** Executions that have finished, by id: they do not change any more. */
	private readonly known = new Map<string, Execution>();
	private readonly cookies = new Map<string, string>();
	private readonly browserId = randomUUID();

	/** Its `url` is as in http://127.0.0.1:5678, without a trailing slash. */
	constructor(private readonly host: { url: string }) {}

	/**
	 * `path` is relative to `/rest`. Answers the `data` of the response, or the whole of it where
	 * there is none. Throws where it is not 2xx.
	 */
	async request<T>(method: string, path: string, body?: object): Promise<T> {
		const text = await this.send(method, `/rest${path}`, body);
		const answer = text === '' ? undefined : JSON.parse(text);
		return answer?.data ?? answer;
	}

	/** The text of what the editor loads besides, such as `/types/nodes.json`. */
	async file(path: string): Promise<string> {
		return await this.send('GET', path);
	}

	/** Answers the text of the response, as to a browser that keeps its cookies and names itself. */
	private async send(method: string, path: string, body?: object): Promise<string> {
		const response = await fetch(this.host.url + path, {
			method,
			headers: {
				'browser-id': this.browserId,
				// A busy n8n drops a resting connection in the moment that it is used again.
				connection: 'close',
				cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
				...(body && { 'content-type': 'application/json' }),
			},
			body: body && JSON.stringify(body),
			// npm installs a package in one of them, beside other tests.
			signal: AbortSignal.timeout(300_000),
		});
		for (const cookie of response.headers.getSetCookie()) {
			const [, name, value] = /^([^=]*)=([^;]*)/.exec(cookie) ?? [];
			this.cookies.set(name, value);
		}
		const text = await response.text();
		if (response.ok) return text;
		throw new Error(`n8n answered ${response.status} to ${method} ${path}: ${text.slice(0, 500)}`);
	}

	/** The first visit to a new n8n: makes the owner's account and signs in. */
	async setupOwner(): Promise<void> {
		await this.request('POST', '/owner/setup', defaultOwner);
	}

	async login(): Promise<void> {
		const { email, password } = defaultOwner;
		await this.request('POST', '/login', { emailOrLdapLoginId: email, password });
	}

	async createCredential(credential: {
		name: string;
		type: string;
		data: Record<string, unknown>;
	}): Promise<Credential> {
		return await this.request('POST', '/credentials', credential);
	}

	/** One with an API key of the registry service, and the paths of records if given. */
	async createRegistryCredential(
		service: { url: string; apiKey: string },
		paths?: Record<string, string>,
	): Promise<Credential> {
		return await this.createCredential({
			// As n8n names a new one.
			name: 'Company Registry account',
			type: 'companyRegistryApi',
			data: {
				baseUrl: service.url,
				apiKey: service.apiKey,
				...(paths && { recordPaths: true, ...paths }),
			},
		});
	}

	/** What the credential's screen shows after Save: it tests the data as typed in. */
	async testCredential(
		credential: Credential & { data: Record<string, unknown> },
	): Promise<{ status: 'OK' | 'Error'; message: string }> {
		return await this.request('POST', '/credentials/test', { credentials: credential });
	}

	async createWorkflow(workflow: WorkflowFile): Promise<WorkflowRecord> {
		return await this.request('POST', '/workflows', workflow);
	}

	async createPublished(workflow: WorkflowFile): Promise<WorkflowRecord> {
		const created = await this.createWorkflow(workflow);
		await this.waitUntilPublished(created.id);
		return created;
	}

	async workflow(id: string): Promise<WorkflowRecord> {
		return await this.request('GET', `/workflows/${id}`);
	}

	/** Saves a draft. What is published stays as it is until `waitUntilPublished`. */
	async updateWorkflow(id: string, changes: Partial<WorkflowFile>): Promise<WorkflowRecord> {
		const { nodes, connections, settings, name, versionId } = await this.workflow(id);
		const draft = { name, nodes, connections, settings, versionId, ...changes };
		return await this.request('PATCH', `/workflows/${id}`, draft);
	}

	/** The same, and publishes it. */
	async publishChanges(id: string, changes: Partial<WorkflowFile>): Promise<WorkflowRecord> {
		const updated = await this.updateWorkflow(id, changes);
		await this.waitUntilPublished(id);
		return updated;
	}

	/** Published or not: n8n unpublishes it first. */
	async deleteWorkflow(id: string): Promise<void> {
		await this.request('POST', `/workflows/${id}/archive`, {});
		await this.waitUntilNotPublished(id);
		await this.request('DELETE', `/workflows/${id}`);
	}

	/** Publishes the last saved version and waits until that is done. Throws with n8n's message when it fails. */
	async waitUntilPublished(id: string, options: WaitOptions = {}): Promise<void> {
		const { versionId } = await this.workflow(id);
		await this.request('POST', `/workflows/${id}/activate`, { versionId });
		const { status, triggers } = await waitFor(
			`workflow ${id} to be published or refused`,
			async () => {
				const publication = await this.publication(id);
				return ENDED.includes(publication.status) && publication;
			},
			options,
		);
		const failed = triggers.find(({ errorMessage }) => errorMessage);
		if (status !== 'published') throw new Error(`Publishing failed: ${failed?.errorMessage}`);
	}

	async waitUntilUnpublished(id: string): Promise<void> {
		await this.request('POST', `/workflows/${id}/deactivate`, {});
		await this.waitUntilNotPublished(id);
	}

	/** How far n8n is with publishing it, or why it failed. */
	private async publication(id: string): Promise<Publication> {
		return await this.request('GET', `/workflows/${id}/publication-status`);
	}

	private async waitUntilNotPublished(id: string): Promise<void> {
		await waitFor(
			`workflow ${id} to be unpublished`,
			async () => (await this.publication(id)).status === 'not_published',
		);
	}

	/** Runs the saved workflow from the trigger of that name, to its end. */
	async runToEnd(id: string, triggerName: string, options: WaitOptions = {}): Promise<Execution> {
		const { executionId } = await this.run(id, triggerName);
		if (!executionId) throw new Error(`n8n waits for a webhook instead of running ${id}`);
		return await this.waitForExecution(executionId, options);
	}

	/** The "Listen for test event" button. Resolves once the test webhook is registered. */
	async listenForTestEvent(id: string, triggerName: string): Promise<void> {
		const { waitingForWebhook } = await this.run(id, triggerName);
		if (!waitingForWebhook) throw new Error(`n8n runs ${id} instead of listening`);
	}

	private async run(
		id: string,
		triggerName: string,
	): Promise<{ executionId?: string; waitingForWebhook?: boolean }> {
		const run = { triggerToStartFrom: { name: triggerName } };
		return await this.request('POST', `/workflows/${id}/run`, run);
	}

	/** Newest first. */
	async executions(workflowId: string): Promise<ExecutionSummary[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.request<{ results: ExecutionSummary[] }>(
			'GET',
			`/executions?filter=${filter}&limit=100`,
		);
		// n8n lists one twice that ends between its looks at the running and the finished ones.
		return uniqBy(results, 'id');
	}

	async execution(id: string): Promise<Execution> {
		const stored = await this.request<Omit<Execution, 'data'> & { data: string }>(
			'GET',
			`/executions/${id}`,
		);
		return { ...stored, data: parse(stored.data) };
	}

	async waitForExecution(id: string, options: WaitOptions = {}): Promise<Execution> {
		const known = this.known.get(id);
		if (known) return known;
		return await waitFor(
			`execution ${id} to finish`,
			async () => {
				const execution = await this.execution(id);
				if (!finished.includes(execution.status)) return false;
				this.known.set(id, execution);
				return execution;
			},
			options,
		);
	}

	/**
	 * Waits until the workflow has an execution beyond the `known` ones and that has finished. One in which no node
	 * has run does not count: by such a one the trigger stores something, whenever its clock wakes it.
	 */
	async waitForNextExecution(
		workflowId: string,
		known: ExecutionSummary[] = [],
	): Promise<Execution> {
		const ids = new Set(known.map(({ id }) => id));
		for (;;) {
			const { id } = await waitFor(`an execution of workflow ${workflowId}`, async () =>
				(await this.executions(workflowId)).find((execution) => !ids.has(execution.id)),
			);
			const execution = await this.waitForExecution(id);
			const { runData } = execution.data.resultData;
			if (execution.status !== 'success' || Object.keys(runData).length > 0) return execution;
			ids.add(id);
		}
	}
}
