import type { INodeExecutionData } from 'n8n-workflow';

import type { Execution } from './n8nTypes';

/** The items that a node put out in its last run, from the output of that number. */
export function outputOf(execution: Execution, nodeName: string, output = 0): INodeExecutionData[] {
	const runs = execution.data.resultData.runData[nodeName];
	return runs?.at(-1)?.data?.main[output] ?? [];
}

/** The error that ended an execution, in one line; undefined where there was none. */
export function errorOf(execution: Execution): string | undefined {
	const { error } = execution.data.resultData;
	if (!error) return undefined;
	const description = 'description' in error && error.description ? ` (${error.description})` : '';
	return `${error.message}${description}`;
}
