import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { readLink, type LinkedList } from '../../lists/link';
import { readListText } from '../../lists/readList';
import { storedText } from '../../lists/storedList';
import { pluralise } from '../../shared/format';
import { readCompanies } from '../parameters/watchlist';
import { withList, type DesiredState } from './desired';
import type { TriggerMemory } from './state';

const LIST_CREDENTIAL = 'companyRegistryListApi';

/** What the link gave, with the text to be stored. */
export type FollowedList = Omit<LinkedList, 'list'> & ReturnType<typeof storedText>;

/**
 * The desired state with the list that its link, if it follows one, leads to. The previous list stays in force where
 * this one has lost more than half of its companies: no watch ends by accident.
 * @param isFresh whether nothing is published, so that the list may have shrunk
 * @throws Error where the link gives no company
 */
export async function followLink(
	context: IHookFunctions | ITriggerFunctions,
	desired: DesiredState,
	memory: TriggerMemory,
	isFresh: boolean,
): Promise<DesiredState> {
	if (!desired.followsLink) return desired;
	const credential = await context.getCredentials(LIST_CREDENTIAL);
	const { list, ...linked } = await readLink(context, credential);
	const read = readCompanies(list, 'link');
	const now = read.companies.length;
	const previous = isFresh ? undefined : memory.facts.list;
	const before = previous ? readCompanies(readListText(previous.text), 'link').companies.length : 0;
	if (now * 2 < before) {
		const problem = new Error(
			`The list at the link has ${pluralise(now, 'company')} instead of ${before}, so the trigger keeps using the previous list. Check the list. To accept it, unpublish and publish.`,
		);
		return { ...desired, problem };
	}
	const stored = storedText('listed' in list ? list.listed : []);
	const accepted = { ...desired, problem: undefined, followed: { ...linked, ...stored } };
	return withList(accepted, read, isFresh ? [] : memory.companiesToKeep);
}
