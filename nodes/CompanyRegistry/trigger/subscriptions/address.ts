import { NodeOperationError, type INode } from 'n8n-workflow';

import { addressOf } from '../identity/destination';
import type { TriggerMemory } from '../memory/trigger';
import type { TriggerOptions } from '../parameters/options';

/**
 * Where subscriptions deliver to another address of n8n, only the user knows whether n8n has moved, or whether
 * they serve another n8n. An answer counts once: another change of address is asked about again.
 * @param url n8n's URL of the trigger
 * @throws NodeOperationError where *Address Changed* does not say which it is
 */
export function askAboutAddress(
	node: INode,
	memory: TriggerMemory,
	url: string,
	answer: TriggerOptions['addressChanged'],
): void {
	const isOld = answer === memory.answered;
	if (!isOld) memory.answered = undefined;
	const before = addressBefore(memory, url);
	if (before === undefined || (answer !== 'ask' && !isOld)) return;
	const where = `The webhooks of this trigger deliver to ${before}, and this n8n's address is ${addressOf(url)}.`;
	const choice =
		"'Moved to This Address' to have them deliver here, or to 'Copy: Make New Webhooks' to leave them alone and create new ones";
	throw new NodeOperationError(
		node,
		isOld
			? `${where} 'Options' > 'Address Changed' is still set from an earlier change, so it may not be meant for this one. Set it to 'Ask' and publish, which fails once more. Then set it to ${choice}, and publish again.`
			: `${where} Set 'Options' > 'Address Changed' to ${choice}. Then publish again.`,
	);
}

/**
 * Carries the answer out, which changes nothing at the service yet.
 * @returns what was done, for the log, and what undoes it; undefined where nothing had to be done
 */
export function useAddress(
	memory: TriggerMemory,
	url: string,
	answer: TriggerOptions['addressChanged'],
): { done: string; undo: () => void } | undefined {
	const now = addressOf(url);
	const before = addressBefore(memory, url);
	const { current, groups } = memory;
	if (!current || before === undefined) return undefined;
	const moved = groups.filter((group) => answer === 'move' && group.address === before);
	for (const group of moved) group.address = now;
	const isCopy = answer === 'copy';
	if (isCopy) memory.use(memory.groupOf(current.account, now));
	memory.answered = answer;
	const what = isCopy
		? `are left alone, and new ones deliver to ${now}`
		: `deliver to ${now} from now on`;
	return {
		done: `its webhooks delivered to ${before}. By 'Address Changed' they ${what}.`,
		undo: () => {
			for (const group of moved) group.address = before;
			memory.groups = groups;
			memory.answered = undefined;
		},
	};
}

/** Where the webhooks in use deliver, if that is not here. */
function addressBefore({ current }: TriggerMemory, url: string): string | undefined {
	if (!current?.subscriptions.size || current.address === addressOf(url)) return undefined;
	return current.address;
}
