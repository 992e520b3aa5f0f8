import { NodeOperationError, type INode } from 'n8n-workflow';

import { addressOf } from '../identity/destination';
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
export function askAboutAddress(
	node: INode,
	memory: TriggerMemory,
	url: string,
	answer: TriggerOptions['addressChanged'],
): void {
	const now = addressOf(url);
	const { current } = memory;
	const isOld = answer === memory.answered;
	if (!isOld) memory.answered = undefined;
	if (!current?.subscriptions.size || current.address === now) return;
	if (answer !== 'ask' && !isOld) return;
	throw new NodeOperationError(node, question(current.address, now, isOld));
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
	const { current, groups } = memory;
	if (!current?.subscriptions.size || current.address === now) return undefined;
	const before = current.address;
	const moved = groups.filter((group) => answer === 'move' && group.address === before);
	for (const group of moved) group.address = now;
	if (answer === 'copy') memory.use(memory.groupOf(current.account, now));
	memory.answered = answer;
	const what =
		answer === 'copy'
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

function question(before: string, now: string, isAnsweredBefore: boolean): string {
	const where = `The webhooks of this trigger deliver to ${before}, and this n8n's address is ${now}.`;
	const choice =
		"'Moved to This Address' to have them deliver here, or to 'Copy: Make New Webhooks' to leave them alone and create new ones";
	return isAnsweredBefore
		? `${where} 'Options' > 'Address Changed' is still set from an earlier change, so it may not be meant for this one. Set it to 'Ask' and publish, which fails once more. Then set it to ${choice}, and publish again.`
		: `${where} Set 'Options' > 'Address Changed' to ${choice}. Then publish again.`;
}
