import { difference, union } from 'lodash';
import type { IHookFunctions } from 'n8n-workflow';

import { readListText } from '../../lists/readList';
import type { UnreadableRow } from '../../lists/messages';
import { choosesStatus } from '../../shared/events';
import {
	checkScheme,
	optionsSchema,
	readCompaniesFrom,
	readOptions,
	type TriggerOptions,
} from '../parameters/options';
import type { Changes } from '../parameters/watchStatus';
import { enteredList, readCompanies, readEvents, type Companies } from '../parameters/watchlist';

/** The webhooks that a published trigger should have at the service. */
export interface DesiredState {
	companies: string[];
	companySet: ReadonlySet<string>;
	/** Names by company number, as far as the list has them. */
	names: ReadonlyMap<string, string>;
	/** Event names of the service. */
	events: string[];
	/** n8n's URL of the trigger. */
	url: string;
	options: TriggerOptions;
	unreadable: UnreadableRow[];
	/** The message of a first publish about unreadable rows; empty if there are none. */
	refusal: string;
	/** Companies that are watched only because a row of the list cannot be read. */
	kept: string[];
	showsStatus: boolean;
	/** Whether the list is read from a link, again at each pass. */
	followsLink: boolean;
	/** Columns of a followed list for which the state has no room. */
	droppedColumns?: string[];
	/** Whether a publish has answered the question about another n8n address. */
	isAddressConfirmed?: boolean;
	/** Why the parameters or the link cannot be read: the previous state stays in force. */
	problem?: Error;
}

/** The desired state until now, as far as it is known. */
export interface Previous {
	companies: string[];
	/** Those of them that the service has confirmed. */
	watched: string[];
	names: ReadonlyMap<string, string>;
	events: string[];
	/** The accepted list of a followed link. */
	listText?: string;
}

/** Without companies, which an unpublish desires. */
export function emptyDesired(url: string, events: string[]): DesiredState {
	return {
		companies: [],
		companySet: new Set(),
		names: new Map(),
		events,
		url,
		options: optionsSchema.parse({}),
		unreadable: [],
		refusal: '',
		kept: [],
		showsStatus: false,
		followsLink: false,
	};
}

/** Reads the node's parameters. Where they cannot be read, the previous state stays in force. */
export function readDesired(
	context: IHookFunctions,
	{ companies, watched, names, events, listText }: Previous,
): DesiredState {
	const url = context.getNodeWebhookUrl('default') ?? '';
	const before = { ...withCompanies(emptyDesired(url, events), companies), names };
	try {
		const options = readOptions(context);
		checkScheme(options);
		const read = {
			...before,
			options,
			events: readEvents(context, options),
			showsStatus: choosesStatus(context.getNodeParameter('events', [])),
		};
		const from = readCompaniesFrom(context);
		const isLink = from === 'link';
		const list = isLink ? listText && readListText(listText) : enteredList(context);
		const followed = { ...read, followsLink: isLink };
		return list ? withList(followed, readCompanies(list, from), watched) : followed;
	} catch (problem) {
		// As it was entered: an expression may be what cannot be read.
		const showsStatus = choosesStatus(context.getNode().parameters.events);
		return { ...before, showsStatus, problem: problem as Error };
	}
}

/** The desired state with a list that was read. @param watched companies that the trigger watches until now */
export function withList(desired: DesiredState, list: Companies, watched: string[]): DesiredState {
	const { unreadable, refusal } = list;
	const { companies, kept } = companiesToWatch(list, watched, desired.options.unwatchable);
	const names = new Map([...desired.names, ...list.names]);
	return { ...withCompanies(desired, companies), names, unreadable, refusal, kept };
}

export function withCompanies(desired: DesiredState, companies: string[]): DesiredState {
	return { ...desired, companies, companySet: new Set(companies) };
}

/**
 * The companies of a list, and those that stay watched because a row cannot be read: a mistyped number must not end
 * the watch of its company.
 */
export function companiesToWatch(
	{ companies, unreadable }: Pick<Companies, 'companies' | 'unreadable'>,
	watched: string[],
	unwatchable: TriggerOptions['unwatchable'],
): { companies: string[]; kept: string[] } {
	const mayHide = unreadable.some(({ looksMistyped }) => unwatchable === 'stop' || looksMistyped);
	const kept = mayHide ? difference(watched, companies) : [];
	return { companies: union(companies, kept), kept };
}

export function changesOf(previous: string[], companies: string[]): Changes {
	return { added: difference(companies, previous), removed: difference(previous, companies) };
}
