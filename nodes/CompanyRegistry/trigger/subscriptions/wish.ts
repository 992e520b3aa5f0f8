import type { IHookFunctions } from 'n8n-workflow';

import { optionsSchema, readOptions, type TriggerOptions } from '../parameters/options';
import { companyNames, readWatchlist, type Watchlist } from '../parameters/watchlist';
import { choosesStatus } from '../../shared/events';
import type { Store, Wanted } from '../memory/store';

/** What a published trigger wants, read from the node's parameters. */
export interface Wish extends Wanted {
	options: TriggerOptions;
	/** Rows of the list that are left out. */
	unreadable: Watchlist['unreadable'];
	/** Whether *Watch Status* is chosen. */
	showsStatus: boolean;
}

/**
 * Reads what n8n's parameters want. Where they cannot be read, what was wanted before still is.
 * @returns what is wanted, and why the parameters cannot be used if they cannot
 */
export function readWish(context: IHookFunctions, store: Store): { wish: Wish; problem?: Error } {
	try {
		const options = readOptions(context);
		const watchlist = readWatchlist(context, options);
		const showsStatus = choosesStatus(context.getNodeParameter('events', []));
		const url = context.getNodeWebhookUrl('default') ?? '';
		for (const [company, name] of companyNames(context)) store.names.set(company, name);
		return { wish: { ...watchlist, url, options, showsStatus } };
	} catch (problem) {
		const url = context.getNodeWebhookUrl('default') ?? store.url;
		// As it was entered: an expression may be what cannot be read.
		const showsStatus = choosesStatus(context.getNode().parameters.events);
		return { wish: { ...wishOf(store), url, showsStatus }, problem: problem as Error };
	}
}

/** What is wanted by what is stored. */
export function wishOf({ companies, events, url }: Store): Wish {
	const options = optionsSchema.parse({});
	return { companies: [...companies], events, url, options, unreadable: [], showsStatus: false };
}
