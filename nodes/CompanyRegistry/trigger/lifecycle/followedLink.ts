import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { readLink } from '../../lists/link';
import { readListText } from '../../lists/readList';
import { storedText } from '../../lists/storedList';
import { pluralise } from '../../shared/format';
import { readCompanies } from '../parameters/watchlist';
import { withList, type DesiredState } from './desired';
import type { TriggerMemory } from './state';

const LIST_CREDENTIAL = 'companyRegistryListApi';

/**
 * The desired state with the list that the node's link leads to. The previous list stays in force where this one has
 * lost more than half of its companies: no watch ends by accident.
 * @param isFresh whether nothing is published, so that the list may have shrunk
 * @throws Error where the link gives no company
 */
export async function followLink(
	context: IHookFunctions | ITriggerFunctions,
	desired: DesiredState,
	memory: TriggerMemory,
	isFresh: boolean,
): Promise<DesiredState> {
	const credential = await context.getCredentials(LIST_CREDENTIAL);
	const { list, ...linked } = await readLink(context, credential);
	const read = readCompanies(list, 'link');
	const now = read.companies.length;
	const { list: previous } = memory.facts;
	const before = previous && readCompanies(readListText(previous.text), 'link').companies.length;
	if (!isFresh && before !== undefined && now * 2 < before) {
		const problem = new Error(
			`The list at the link has ${pluralise(now, 'company')} instead of ${before}, so the trigger keeps using the previous list. Check the list. To accept it, unpublish and publish.`,
		);
		return { ...desired, problem };
	}
	const stored = storedText('listed' in list ? list.listed : []);
	const accepted = { ...desired, problem: undefined, followed: { ...linked, ...stored } };
	return withList(accepted, read, isFresh ? [] : memory.companiesToKeep);
}
