import { difference, map, pick, reject, union } from 'lodash';
import type { IHookFunctions } from 'n8n-workflow';

import { choosesReport } from '../../shared/events';
import {
	optionsSchema,
	readCompaniesFrom,
	readOptions,
	type TriggerOptions,
} from '../parameters/options';
import { currentList, readCompanies, readEvents, type Companies } from '../parameters/watchlist';
import type { FollowedList } from './followedLink';
import type { TriggerMemory } from './state';

/** The webhooks that a published trigger should have at the service, and what was read of its list. */
export interface DesiredState extends Companies {
	/** Event names of the service. */
	events: string[];
	/** n8n's URL of the trigger. */
	url: string;
	options: TriggerOptions;
	/** Companies that are watched only because a row of the list cannot be read. */
	kept: string[];
	showsReport: boolean;
	/** Whether the list is read from a link, again at each pass. */
	followsLink: boolean;
	/** Undefined until the link was read. */
	followed?: FollowedList;
	/** Why the parameters or the link cannot be read: the previous state stays in force. */
	problem?: Error;
}

/** Without companies, which an unpublish desires. */
export function emptyDesired(url: string, events: string[]): DesiredState {
	return {
		companies: [],
		names: new Map(),
		events,
		url,
		options: optionsSchema.parse({}),
		unreadable: [],
		refusal: '',
		rows: 0,
		repeated: 0,
		kept: [],
		showsReport: false,
		followsLink: false,
	};
}

/**
 * Reads the node's parameters. Where they cannot be read, the previous state stays in force.
 * @param watched companies that the trigger watches until now, and has to keep where a row cannot be read
 */
export function readDesired(
	context: IHookFunctions,
	{ all, facts, desired }: TriggerMemory,
	watched: string[],
): DesiredState {
	const url = context.getNodeWebhookUrl('default') ?? '';
	const companies = map(reject(all, { status: 'paused' }), 'company');
	const previous = pick(desired, 'companies', 'names', 'options');
	// As it was entered: an expression may be what cannot be read.
	const showsReport = choosesReport(context.getNode().parameters.events);
	const before = { ...emptyDesired(url, facts.events), companies, showsReport, ...previous };
	try {
		const options = readOptions(context);
		const from = readCompaniesFrom(context);
		const read = {
			...before,
			options,
			events: readEvents(context, options),
			showsReport: choosesReport(context.getNodeParameter('events', [])),
			followsLink: from === 'link',
		};
		const list = currentList(context, facts.list);
		return list ? withList(read, readCompanies(list, from), watched) : read;
	} catch (problem) {
		return { ...before, problem: problem as Error };
	}
}

/**
 * The desired state with a list that was read. Companies that left the list stay watched where a row cannot be read:
 * a mistyped number must not end the watch of its company.
 * @param watched companies that the trigger watches until now
 */
export function withList(desired: DesiredState, list: Companies, watched: string[]): DesiredState {
	const isStrict = desired.options.unwatchable === 'stop';
	const mayHide = list.unreadable.some(({ looksMistyped }) => isStrict || looksMistyped);
	const kept = mayHide ? difference(watched, list.companies) : [];
	const names = new Map([...desired.names, ...list.names]);
	return { ...desired, ...list, companies: union(list.companies, kept), names, kept };
}
