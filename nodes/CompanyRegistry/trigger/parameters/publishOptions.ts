import type { IDataObject, IHookFunctions } from 'n8n-workflow';

/** What to do with webhooks that deliver to another n8n address than this one. */
export type AddressChanged = 'ask' | 'move' | 'copy';

export interface PublishOptions {
	addressChanged: AddressChanged;
	/** Whether companies that the service refuses are left out, or make the publish fail. */
	leavesOut: boolean;
}

/** Reads the options that concern a publish; what is not set has the documented default. */
export function readPublishOptions(context: IHookFunctions): PublishOptions {
	const { addressChanged, refusedCompanies } = readOptions(context);
	const isAnswer = addressChanged === 'move' || addressChanged === 'copy';
	return {
		addressChanged: isAnswer ? addressChanged : 'ask',
		leavesOut: refusedCompanies === 'leaveOut',
	};
}

/** Whether this is a test run that is given a sample event, for which nothing is made at the service. */
export function showsSample(context: IHookFunctions): boolean {
	return context.getActivationMode() === 'manual' && readOptions(context).testEvent !== 'real';
}

function readOptions(context: IHookFunctions): IDataObject {
	return context.getNodeParameter('options', {}) as IDataObject;
}
