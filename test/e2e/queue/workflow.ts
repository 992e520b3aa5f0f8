import type { WorkflowFile } from '../../n8n-host/n8nTypes';

export const TRIGGER = 'Company Registry Trigger';
export const REMOVE_DUPLICATES = 'Remove Duplicates';

/** A workflow that watches so many companies and drops what another execution has seen. */
export function watchingWorkflow(companies: number): WorkflowFile {
	const numbers = Array.from({ length: companies }, (_, index) => String(10_000_000 + index));
	return {
		name: 'Watch many companies',
		nodes: [
			{
				id: '2c8f1c0e-5f57-4f0f-9b5e-9a1d3c3e7a01',
				name: TRIGGER,
				type: 'n8n-nodes-company-registry.companyRegistryTrigger',
				typeVersion: 1,
				position: [0, 0],
				webhookId: '6a1c9d5e-8f3b-4f7a-b6c2-0d9e5b4a3f21',
				parameters: {
					companiesFrom: 'numbers',
					companyNumbers: numbers.join('\n'),
					events: ['filing.new'],
					options: {},
				},
			},
			{
				id: '9e3d7b1a-4c2f-4d8e-8a6b-1f0c5d2e9b44',
				name: REMOVE_DUPLICATES,
				type: 'n8n-nodes-base.removeDuplicates',
				typeVersion: 2,
				position: [260, 0],
				parameters: {
					operation: 'removeItemsSeenInPreviousExecutions',
					logic: 'removeItemsWithAlreadySeenKeyValues',
					dedupeValue: '={{ $json.delivery_id }}',
					options: {},
				},
			},
		],
		connections: { [TRIGGER]: { main: [[{ node: REMOVE_DUPLICATES, type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	};
}
