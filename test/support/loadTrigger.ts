import * as n8nWorkflow from 'n8n-workflow';

/** What one loaded copy of the trigger's code remembers and waits for. */
export type LoadedTrigger = Awaited<ReturnType<typeof load>>;

/**
 * The trigger as a newly started n8n loads it: what it keeps in memory is its own. n8n's own library is the one
 * that is loaded already.
 */
export async function loadTrigger(sleep = n8nWorkflow.sleep): Promise<LoadedTrigger> {
	let loaded: LoadedTrigger | undefined;
	await jest.isolateModulesAsync(async () => {
		jest.doMock('n8n-workflow', () => ({ ...n8nWorkflow, sleep }));
		loaded = await load();
	});
	if (loaded === undefined) throw new Error('The trigger could not be loaded');
	return loaded;
}

async function load() {
	const { CompanyRegistryTrigger } = await import(
		'../../nodes/CompanyRegistry/CompanyRegistryTrigger.node'
	);
	return {
		nodeType: new CompanyRegistryTrigger(),
		trigger: await import('../../nodes/CompanyRegistry/trigger/memory/trigger'),
		phase: await import('../../nodes/CompanyRegistry/trigger/memory/phase'),
		waits: await import('../../nodes/CompanyRegistry/trigger/subscriptions/waits'),
		ownAddress: await import('../../nodes/CompanyRegistry/trigger/identity/destination'),
		registry: await import('../../nodes/CompanyRegistry/registry/registry'),
		pace: await import('../../nodes/CompanyRegistry/registry/pace'),
	};
}
