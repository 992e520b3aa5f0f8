import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { warn } from '../../shared/warn';
import { addressOf } from '../memory/destination';
import type { TriggerMemory } from '../memory/trigger';
import type { TriggerOptions } from '../parameters/options';

/**
 * Where subscriptions deliver to another address of n8n than this one, only the user knows what that is:
 * n8n has moved, and they are to deliver here from now on, or they serve another n8n, and new ones are
 * made. An answer counts once: another change of address is asked about again.
 *
 * @param url n8n's URL of the trigger
 * @param answer the option *Address Changed*
 * @throws NodeOperationError where the user has not said what it is
 */
export function useAddress(
	context: IHookFunctions,
	memory: TriggerMemory,
	url: string,
	answer: TriggerOptions['addressChanged'],
): void {
	const now = addressOf(url);
	const { current } = memory;
	const isOld = answer === memory.answered;
	if (!isOld) memory.answered = undefined;
	if (!current?.subscriptions.size || current.address === now) return;
	const before = current.address;
	if (answer === 'ask' || isOld) {
		throw new NodeOperationError(context.getNode(), askAboutAddress(before, now, isOld));
	}
	if (answer === 'copy') {
		memory.use(memory.groupOf(current.account, now));
	} else {
		for (const group of memory.groups) if (group.address === before) group.address = now;
	}
	memory.answered = answer;
	warn(
		context,
		`its webhooks delivered to ${before}. By 'Address Changed' they ${answer === 'copy' ? `are left alone, and new ones deliver to ${now}` : `deliver to ${now} from now on`}.`,
	);
}

function askAboutAddress(before: string, now: string, isAnsweredBefore: boolean): string {
	const where = `The webhooks of this trigger deliver to ${before}, and this n8n's address is ${now}.`;
	const choice =
		"'Moved to This Address' to have them deliver here, or to 'Copy: Make New Webhooks' to leave them alone and create new ones";
	return isAnsweredBefore
		? `${where} 'Options' > 'Address Changed' is still set from an earlier change, so it may not be meant for this one. Set it to 'Ask' and publish, which fails once more. Then set it to ${choice}, and publish again.`
		: `${where} Set 'Options' > 'Address Changed' to ${choice}. Then publish again.`;
}
