import * as n8nWorkflow from 'n8n-workflow';

import { noteLoaded } from './settled';
import type { CompanyRegistryTrigger } from '../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';

/**
 * The trigger as a newly started n8n loads it: nothing that it kept in the process's memory is left.
 * n8n's own library stays the one that is loaded already.
 */
export async function afterRestart(): Promise<CompanyRegistryTrigger> {
	let trigger: CompanyRegistryTrigger | undefined;
	await jest.isolateModulesAsync(async () => {
		jest.doMock('n8n-workflow', () => n8nWorkflow);
		const loaded = await import('../../nodes/CompanyRegistry/CompanyRegistryTrigger.node');
		trigger = new loaded.CompanyRegistryTrigger();
		noteLoaded(trigger, {
			trigger: await import('../../nodes/CompanyRegistry/trigger/memory/trigger'),
			waits: await import('../../nodes/CompanyRegistry/trigger/subscriptions/waits'),
			ownAddress: await import('../../nodes/CompanyRegistry/trigger/identity/ownAddress'),
			registry: await import('../../nodes/CompanyRegistry/registry/registry'),
			pace: await import('../../nodes/CompanyRegistry/registry/pace'),
		});
	});
	if (trigger === undefined) throw new Error('The trigger could not be loaded again');
	return trigger;
}
