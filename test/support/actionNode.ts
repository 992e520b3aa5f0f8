import { map } from 'lodash';
import type { INodeExecutionData, INodeParameters, OnError } from 'n8n-workflow';

import { CompanyRegistry } from '../../nodes/CompanyRegistry/CompanyRegistry.node';
import { PACE } from '../../nodes/CompanyRegistry/registry/pace';
import { REQUEST_LIMIT } from '../../nodes/CompanyRegistry/registry/registry';
import { rejectionOf } from '../../nodes/CompanyRegistry/shared/async';
import type { Simulator } from '../simulator';
import { runNode, runWithHints, testWorkflow, type NodeSetup } from './contexts';

// An item waits less for its next attempt than a user's.
PACE.first = 20;
REQUEST_LIMIT.beforeRetry = 20;

/** The action node with both credentials of the simulated service's first account. */
export function actionSetup(simulator: Simulator, parameters: INodeParameters): NodeSetup {
	const { url: baseUrl, apiKey, sessionToken } = simulator;
	return {
		nodeType: new CompanyRegistry(),
		parameters,
		credentials: {
			companyRegistryApi: { baseUrl, apiKey },
			companyRegistrySessionApi: { baseUrl, sessionToken },
		},
	};
}

/** Runs one operation once per item; parameters may be expressions over the items. */
export async function runAction(
	simulator: Simulator,
	parameters: INodeParameters,
	{ items = [{}], onError }: { items?: Array<INodeExecutionData['json']>; onError?: OnError } = {},
): Promise<INodeExecutionData[]> {
	const setup = actionSetup(simulator, parameters);
	return await runNode(
		onError === undefined ? setup : { ...setup, node: { onError } },
		items.map((json) => ({ json })),
	);
}

/** The same as the editor shows it: the rows that come out, and the messages above them. */
export async function runShown(
	simulator: Simulator,
	parameters: INodeParameters,
	items: Array<INodeExecutionData['json']> = [{}],
	options: Parameters<typeof runWithHints>[2] = {},
) {
	const workflow = testWorkflow(actionSetup(simulator, parameters));
	const inputs = items.map((json) => ({ json }));
	const { output, hints } = await runWithHints(workflow, inputs, options);
	return { rows: map(output, 'json'), hints: map(hints, 'message') };
}

/** The company chosen by its number, as the editor saves it. */
export function byNumber(value: string): INodeParameters {
	return { __rl: true, mode: 'number', value };
}

/** The webhook entered by its ID, as the editor saves it. */
export function byId(value: string): INodeParameters {
	return { __rl: true, mode: 'id', value };
}

/** What the run failed with; a run that does not fail fails the test. */
export async function failureOf(run: Promise<unknown>): Promise<Failure> {
	const error = await rejectionOf(run);
	if (error) return error as Failure;
	throw new Error(`Expected a failure, but got ${JSON.stringify(await run)}`);
}

export interface Failure extends Error {
	description: string;
	httpCode?: string;
	context: { itemIndex?: number };
}
