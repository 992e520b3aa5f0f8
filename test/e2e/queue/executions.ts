import { parse } from 'flatted';
import type { IRunExecutionData } from 'n8n-workflow';

import { query } from './backends';
import type { Backends } from './settings';

export interface StoredExecution {
	id: string;
	status: string;
	/** The delivery that started it. */
	deliveryId: string;
	/** Whether its item came out of the node that removes duplicates. */
	isKept: boolean;
}

/** Every execution of a workflow, read from n8n's database: thousands, too many for its interface. */
export async function storedExecutions(
	backends: Backends,
	workflowId: string,
	nodes: { trigger: string; removeDuplicates: string },
): Promise<StoredExecution[]> {
	const rows = await query<{ id: number; status: string; data: string }>(
		backends,
		`select e.id, e.status, d.data from ${backends.name}.execution_entity e
		join ${backends.name}.execution_data d on d."executionId" = e.id
		where e."workflowId" = '${workflowId}' order by e.id`,
	);
	return rows.map(({ id, status, data }) => {
		const { resultData, executionData }: IRunExecutionData = parse(data);
		const output = (node: string) => resultData.runData[node]?.at(-1)?.data?.main[0] ?? [];
		// One that has not finished still holds what the trigger handed over.
		const started = executionData?.nodeExecutionStack?.at(0)?.data.main[0] ?? [];
		const [item] = [...output(nodes.trigger), ...started];
		return {
			id: String(id),
			status,
			deliveryId: String(item?.json.delivery_id),
			isKept: output(nodes.removeDuplicates).length > 0,
		};
	});
}
