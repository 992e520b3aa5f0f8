import './n8nEnvironment';

import type { Request, Response } from 'express';
import {
	DirectoryLoader,
	ExecuteContext,
	ExternalSecretsProxy,
	HookContext,
	LoadOptionsContext,
	RoutingNode,
	SupplyDataContext,
	TriggerContext,
	WebhookContext,
} from 'n8n-core';
import {
	NodeConnectionTypes,
	NodeHelpers,
	Workflow,
	createRunExecutionData,
	type ICredentialDataDecryptedObject,
	type ICredentialsHelper,
	type IDataObject,
	type IExecuteData,
	type IRunExecutionData,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type ITriggerFunctions,
	type IWebhookData,
	type IWorkflowExecuteAdditionalData,
	type NodeExecutionHint,
	type WorkflowActivateMode,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { TestCredentialsHelper } from './credentialsHelper';

export interface NodeSetup {
	nodeType: INodeType;
	/** What the user filled in; the description's defaults are added, as n8n does. */
	parameters?: INodeParameters;
	/** Decrypted data by credential type. */
	credentials?: Record<string, ICredentialDataDecryptedObject>;
	/** Changes to the node: name, id, webhookId, onError and so on. */
	node?: Partial<INode>;
	workflowId?: string;
	/** The workflow's static data as it was saved. */
	staticData?: IDataObject;
	webhookBaseUrl?: string;
	webhookTestBaseUrl?: string;
}

/** The parameters that n8n misses; null where it runs the node. */
export function missingParameters(nodeType: INodeType, parameters: object) {
	const { node } = testWorkflow({ nodeType, parameters: parameters as INodeParameters });
	const { properties } = nodeType.description;
	const issues = NodeHelpers.getNodeParametersIssues(properties, node, nodeType.description);
	return issues && Object.keys(issues.parameters ?? {});
}

export type TestWorkflow = ReturnType<typeof testWorkflow>;

/** A real workflow of one node, with what n8n hands to every context. */
export function testWorkflow(setup: NodeSetup) {
	const { nodeType, credentials = {} } = setup;
	// What n8n does to every node it loads: declarative ones get Request Options.
	DirectoryLoader.applyDeclarativeNodeOptionParameters(nodeType);
	const credentialDetails = Object.keys(credentials).map((type) => [
		type,
		{ id: `id-of-${type}`, name: `My ${type}` },
	]);
	const workflow = new Workflow({
		id: setup.workflowId ?? 'workflow-1',
		name: 'Test workflow',
		nodes: [
			{
				id: 'node-1',
				name: nodeType.description.displayName,
				type: nodeType.description.name,
				typeVersion: Number(nodeType.description.version),
				position: [0, 0],
				webhookId: '0d1f6a1e-5a52-4b8e-9a53-0c7f64b1f0aa',
				parameters: setup.parameters ?? {},
				credentials: Object.fromEntries(credentialDetails),
				...setup.node,
			},
		],
		connections: {},
		active: false,
		staticData: setup.staticData,
		nodeTypes: {
			getByName: () => nodeType,
			getByNameAndVersion: () => nodeType,
			getKnownTypes: () => ({}),
		},
	});
	const credentialsHelper = new TestCredentialsHelper(credentials);
	const [node] = Object.values(workflow.nodes);
	return {
		workflow,
		node,
		nodeType,
		credentials: credentialsHelper,
		additionalData: additionalData(setup, credentialsHelper),
	};
}

/** Runs a node over the items. */
export async function runNode(
	setup: NodeSetup,
	items: INodeExecutionData[] = [{ json: {} }],
): Promise<INodeExecutionData[]> {
	return (await runWithHints(testWorkflow(setup), items)).output;
}

/**
 * The same with what n8n shows beside the output, in an execution that may be cancelled. A run that n8n
 * repeats has the same `executeData`, and the runs of a loop the same execution.
 */
export async function runWithHints(
	testWorkflow: TestWorkflow,
	items: INodeExecutionData[] = [{ json: {} }],
	{
		executeData = executeDataOf(testWorkflow, items),
		execution = createRunExecutionData(),
		signal,
	}: { executeData?: IExecuteData; execution?: IRunExecutionData; signal?: AbortSignal } = {},
): Promise<{ output: INodeExecutionData[]; hints: NodeExecutionHint[] }> {
	const { workflow, node, nodeType, additionalData } = testWorkflow;
	const context = new ExecuteContext(
		workflow,
		node,
		additionalData,
		'manual',
		execution,
		0,
		items,
		executeData.data,
		executeData,
		[],
		signal,
	);
	// As n8n does it: a node without a method of its own is declarative.
	const output = nodeType.execute
		? ((await nodeType.execute.call(context)) as INodeExecutionData[][])
		: await new RoutingNode(context, nodeType).runNode();
	return { output: output?.[0] ?? [], hints: context.hints };
}

/** One call of the node as a tool of an AI agent, which hands its own `executeData` to all its tools. */
export async function runTool(
	{ workflow, node, nodeType, additionalData }: TestWorkflow,
	executeData: IExecuteData,
): Promise<INodeExecutionData[]> {
	const context = new SupplyDataContext(
		workflow,
		node,
		additionalData,
		'manual',
		createRunExecutionData(),
		0,
		[{ json: {} }],
		{},
		NodeConnectionTypes.AiTool,
		executeData,
		[],
	);
	context.addInputData(NodeConnectionTypes.AiTool, [[{ json: {} }]]);
	const output = await nodeType.execute?.call(context as unknown as ExecuteContext);
	return (output as INodeExecutionData[][] | undefined)?.[0] ?? [];
}

/** What n8n's engine hands to one run of the node. */
export function executeDataOf({ node }: TestWorkflow, items: INodeExecutionData[]): IExecuteData {
	return { node, data: { main: [items] }, source: null };
}

/** The context of pickers. */
export function loadOptionsContext(setup: NodeSetup): LoadOptionsContext {
	const { workflow, node, additionalData } = testWorkflow(setup);
	return new LoadOptionsContext(
		workflow,
		node,
		{ ...additionalData, currentNodeParameters: node.parameters },
		'parameters',
	);
}

/** The context of checkExists, create and delete. Contexts of one workflow share its static data. */
export function hookContext(
	testWorkflow: TestWorkflow,
	{
		isTest = false,
		mode,
		activation,
	}: { isTest?: boolean; mode?: WorkflowExecuteMode; activation?: WorkflowActivateMode } = {},
): HookContext {
	return new HookContext(
		testWorkflow.workflow,
		testWorkflow.node,
		testWorkflow.additionalData,
		mode ?? (isTest ? 'manual' : 'trigger'),
		activation ?? (isTest ? 'manual' : 'activate'),
		webhookData(testWorkflow, isTest),
	);
}

/** What n8n lets a published trigger do by itself. */
type Acts = Pick<ITriggerFunctions, 'emit' | 'saveFailedExecution'> & {
	registerCron: ITriggerFunctions['helpers']['registerCron'];
};

/** The context of `trigger()`. */
export function triggerContext(
	{ workflow, node, additionalData }: TestWorkflow,
	activation: WorkflowActivateMode,
	{ emit, saveFailedExecution, registerCron }: Acts,
): TriggerContext {
	const emitError = () => {
		throw new Error('It would take the trigger down');
	};
	return new TriggerContext(
		workflow,
		node,
		additionalData,
		'trigger',
		activation,
		emit,
		emitError,
		saveFailedExecution,
		{ registerCron } as ConstructorParameters<typeof TriggerContext>[8],
	);
}

/** The context of `webhook()` for one request. */
export function webhookContext(
	testWorkflow: TestWorkflow,
	{ request, response, isTest = false }: { request: Request; response: Response; isTest?: boolean },
): WebhookContext {
	const { workflow, node, additionalData } = testWorkflow;
	return new WebhookContext(
		workflow,
		node,
		{ ...additionalData, httpRequest: request, httpResponse: response },
		isTest ? 'manual' : 'webhook',
		webhookData(testWorkflow, isTest),
		[],
		null,
	);
}

function webhookData(
	{ workflow, node, nodeType, additionalData }: TestWorkflow,
	isTest: boolean,
): IWebhookData {
	const [webhookDescription] = nodeType.description.webhooks ?? [];
	if (webhookDescription === undefined) throw new Error(`${node.name} has no webhook`);
	return {
		httpMethod: 'POST',
		node: node.name,
		path: `${node.webhookId}/${webhookDescription.path}`,
		webhookDescription,
		workflowId: workflow.id,
		workflowExecuteAdditionalData: additionalData,
		isTest,
	};
}

function additionalData(
	{ webhookBaseUrl, webhookTestBaseUrl }: NodeSetup,
	credentialsHelper: TestCredentialsHelper,
): IWorkflowExecuteAdditionalData {
	const base = 'https://n8n.example.com';
	const given: Partial<IWorkflowExecuteAdditionalData> = {
		credentialsHelper: credentialsHelper as unknown as ICredentialsHelper,
		externalSecretsProxy: new ExternalSecretsProxy(),
		webhookBaseUrl: webhookBaseUrl ?? `${base}/webhook`,
		webhookTestBaseUrl: webhookTestBaseUrl ?? `${base}/webhook-test`,
		webhookWaitingBaseUrl: `${base}/webhook-waiting`,
		formWaitingBaseUrl: `${base}/form-waiting`,
		restApiUrl: `${base}/rest`,
		instanceBaseUrl: base,
		currentNodeExecutionIndex: 0,
		variables: {},
		logAiEvent: () => undefined,
	};
	return given as IWorkflowExecuteAdditionalData;
}
