import type { INode, INodeParameters } from 'n8n-workflow';

import { withCodeNodes } from '../../n8n-host/environment';
import {
	chosen,
	exampleWorkflow,
	withNodes,
	withParameters,
} from '../../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../../n8n-host/execution';
import type { Credential, Execution, WorkflowFile, WorkflowRecord } from '../../n8n-host/n8nTypes';
import type { Account, DeliveryRequest, StoredWebhook } from '../../simulator';
import { newTriggerId } from '../reliability/watchers';
import { useSurroundings } from '../surroundings';
import { startMailServer, type MailServer } from './mailServer';

/** Of the test file, which imports examples. */
export const surroundings = useSurroundings({ env: withCodeNodes });
export const mailServer = useMailServer();

/** An example in n8n, with a registry account of its own. */
export interface ImportedExample {
	workflow: WorkflowRecord;
	account: Account;
	credential: Credential;
	/** Of its account, in order of creation. */
	webhooks(): StoredWebhook[];
}

interface Choices {
	/** Parameters by the name of their node. */
	filledIn?: Record<string, INodeParameters>;
	/** Paths of records in its credential. */
	paths?: Record<string, string>;
	/** Where its Send Email nodes send. */
	smtp?: Credential;
	settings?: WorkflowFile['settings'];
}

/** Imports `examples/<name>.json`, chooses credentials, and does what `Choices` say, nothing else. */
export async function importExample(
	name: string,
	{ filledIn = {}, paths, smtp, settings }: Choices = {},
): Promise<ImportedExample> {
	const { client, simulator } = surroundings;
	const account = simulator.addAccount();
	const service = { ...account, url: simulator.url };
	const credential = await client.createRegistryCredential(service, paths);
	const isOurs = ({ type }: INode) => type.startsWith('n8n-nodes-company-registry.');
	let example = withNodes(exampleWorkflow(name), isOurs, chosen(credential));
	if (smtp) example = withMail(example, smtp);
	for (const [node, parameters] of Object.entries(filledIn)) {
		example = withParameters(example, node, parameters);
	}
	const isTrigger = ({ type }: INode) => type.endsWith('.companyRegistryTrigger');
	const workflow = await client.createWorkflow({
		...example,
		nodes: example.nodes.map((one) => (isTrigger(one) ? { ...one, id: newTriggerId() } : one)),
		settings: { ...example.settings, ...settings },
	});
	return { workflow, account, credential, webhooks: () => simulator.webhooks(account.apiKey) };
}

/** With a mail server in its Send Email nodes, and addresses where they have none. */
function withMail(workflow: WorkflowFile, smtp: Credential): WorkflowFile {
	const isMail = ({ type }: INode) => type === 'n8n-nodes-base.emailSend';
	const isEmpty = (node: INode) => isMail(node) && node.parameters.toEmail === '';
	const parameters = { fromEmail: 'n8n@example.com', toEmail: 'team@example.com' };
	return withNodes(withNodes(workflow, isEmpty, { parameters }), isMail, chosen(smtp));
}

export async function publishExample(
	name: string,
	choices: Choices = {},
): Promise<ImportedExample> {
	const example = await importExample(name, choices);
	await surroundings.client.waitUntilPublished(example.workflow.id);
	return example;
}

/** With an SMTP credential for it in n8n. */
function useMailServer(): MailServer & { smtp: Credential } {
	const server = {} as MailServer & { smtp: Credential };
	beforeAll(async () => {
		Object.assign(server, await startMailServer());
		server.smtp = await surroundings.client.createCredential({
			name: 'Mail server',
			type: 'smtp',
			data: server.credential,
		});
	});
	afterAll(async () => await server.close?.());
	return server;
}

/** Parameters of a trigger in which these companies are picked by name. */
export function picked(companies: Record<string, string>): INodeParameters {
	const company = Object.entries(companies).map(([value, cachedResultName]) => ({
		companyNumber: { __rl: true, mode: 'list', value, cachedResultName },
	}));
	return { companies: { company } } as INodeParameters;
}

/** The field of a node that holds a choice of the user. */
export function choice(name: string, value = true): INodeParameters {
	const assignments = [{ id: 'c0a9', name, type: 'boolean', value }];
	return { assignments: { assignments } };
}

/** Delivers to the example's webhook of that company and waits for the execution that this starts. */
export async function deliverTo(
	{ workflow, webhooks }: ImportedExample,
	companyNumber: string,
	delivery: DeliveryRequest,
): Promise<Execution> {
	const { client, simulator, ca } = surroundings;
	const webhook = webhooks().find(({ company_number }) => company_number === companyNumber);
	if (!webhook) throw new Error(`Nothing watches ${companyNumber}`);
	const before = await client.executions(workflow.id);
	const { status, body } = await simulator.deliver(webhook.id, { ca, ...delivery });
	if (status !== 200 || body !== '') throw new Error(`n8n answered ${status}: ${body}`);
	return await client.waitForNextExecution(workflow.id, before);
}

/** The output of a node in an execution without an error. */
export function jsonOf(execution: Execution, nodeName: string) {
	const error = errorOf(execution);
	if (error !== undefined) throw new Error(`The execution failed: ${error}`);
	return outputOf(execution, nodeName).map(({ json }) => json);
}
