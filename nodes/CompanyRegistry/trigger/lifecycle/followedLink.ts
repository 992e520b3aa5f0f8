import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { readListText } from '../../lists/readList';
import { readLink, tableText } from '../../lists/link';
import { readCompanies } from '../parameters/watchlist';
import { withList, type DesiredState } from './desired';
import type { TriggerMemory } from './state';

/** Why the previous list of a followed link stays in force. */
class LinkProblem extends Error {}

export async function followLink(
	context: IHookFunctions | ITriggerFunctions,
	desired: DesiredState,
	memory: TriggerMemory,
	isFresh: boolean,
): Promise<DesiredState> {
	return desired;
}
