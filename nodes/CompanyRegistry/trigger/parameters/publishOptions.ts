import type { IDataObject, IHookFunctions } from 'n8n-workflow';

/** What to do with webhooks that deliver to another n8n address than this one. */
export type AddressChanged = 'ask' | 'move' | 'copy';

export function readAddressChanged(context: IHookFunctions): AddressChanged {
	const { addressChanged } = readOptions(context);
	return addressChanged === 'move' || addressChanged === 'copy' ? addressChanged : 'ask';
}

/** Whether companies that the service refuses are left out, or make the publish fail. */
export function leavesOutRefused(context: IHookFunctions): boolean {
	return readOptions(context).refusedCompanies === 'leaveOut';
}

/** Whether a test run is given a sample event at once, or waits for a real one. */
export function testsWithSample(context: IHookFunctions): boolean {
	return readOptions(context).testEvent !== 'real';
}

function readOptions(context: IHookFunctions): IDataObject {
	return context.getNodeParameter('options', {}) as IDataObject;
}
