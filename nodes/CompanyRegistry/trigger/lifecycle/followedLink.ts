import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { readLink } from '../../lists/link';
import { readListText } from '../../lists/readList';
import { storedText } from '../../lists/storedList';
import { pluralise } from '../../shared/format';
import { readCompanies } from '../parameters/watchlist';
import { withList, type DesiredState } from './desired';
import type { TriggerMemory } from './state';

export const LIST_CREDENTIAL = 'companyRegistryListApi';

/**
 * The desired state with the list that the node's link leads to. The previous list stays in force where the link
 * cannot be read, or has lost more than half of its companies: no watch ends by accident.
 * @param isFresh whether nothing was published before this, so that the list may have shrunk
 */
export async function followLink(
	context: IHookFunctions | ITriggerFunctions,
	desired: DesiredState,
	memory: TriggerMemory,
	isFresh: boolean,
): Promise<DesiredState> {
	const accepted = memory.facts.list;
	try {
		const { list, digest } = await readLink(context, await context.getCredentials(LIST_CREDENTIAL));
		const read = readCompanies(list, 'link');
		const previous = accepted ? readCompanies(readListText(accepted.text), 'link').companies : [];
		if (!isFresh && hasShrunk(read.companies, previous)) {
			return { ...desired, problem: new Error(shrunk(read.companies.length, previous.length)) };
		}
		const { text, leftOut } = storedText('listed' in list ? list.listed : []);
		if (digest !== accepted?.digest) memory.updateFacts({ list: { digest, text } });
		const watched = isFresh ? [] : memory.companiesToKeep;
		return withList({ ...desired, problem: undefined, droppedColumns: leftOut }, read, watched);
	} catch (problem) {
		return { ...desired, problem: problem as Error };
	}
}

/** Whether fewer than half of the companies are left. */
export function hasShrunk(companies: string[], previous: string[]): boolean {
	return companies.length * 2 < previous.length;
}

function shrunk(now: number, before: number): string {
	return `The list at the link has ${pluralise(now, 'company')} instead of ${before}, so the trigger keeps using the previous list. Check the list. To accept it, unpublish and publish.`;
}
