import { difference, union } from 'lodash';
import type { IHookFunctions } from 'n8n-workflow';

import { readListText } from '../../lists/readList';
import type { UnreadableRow } from '../../lists/words';
import { choosesStatus } from '../../shared/events';
import {
	checkScheme,
	optionsSchema,
	readCompaniesFrom,
	readOptions,
	type TriggerOptions,
} from '../parameters/options';
import { enteredList, readCompanies, readEvents, type Companies } from '../parameters/watchlist';

/** What a published trigger should have at the service. */
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
	/** Companies that are watched only because a row of the list cannot be read. */
	kept: string[];
	/** What a first publish says of unreadable rows; empty if there are none. */
	refusal: string;
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

/** What was in force until now. */
export interface Previous {
	companies: string[];
	/** Those of them that the service has confirmed. */
	watched: string[];
	names: ReadonlyMap<string, string>;
	events: string[];
	/** The accepted list of a followed link. */
	listText?: string;
}

/** Reads the node's parameters. Where they cannot be read, the previous state stays in force. */
export function readDesired(context: IHookFunctions, previous: Previous): DesiredState {
	const url = context.getNodeWebhookUrl('default') ?? '';
	const before = withCompanies(
		{
			names: previous.names,
			events: previous.events,
			url,
			options: optionsSchema.parse({}),
			unreadable: [],
			refusal: '',
			// As it was entered: an expression may be what cannot be read.
			showsStatus: choosesStatus(context.getNode().parameters.events),
			followsLink: false,
		},
		previous.companies,
	);
	try {
		const options = readOptions(context);
		checkScheme(options);
		const events = readEvents(context, options);
		const showsStatus = choosesStatus(context.getNodeParameter('events', []));
		const read = { ...before, events, options, showsStatus };
		const list = enteredList(context);
		if (list)
			return withList(read, readCompanies(list, readCompaniesFrom(context)), previous.watched);
		const { listText } = previous;
		const followed = { ...read, followsLink: true };
		if (listText === undefined) return followed;
		return withList(followed, readCompanies(readListText(listText), 'link'), previous.watched);
	} catch (problem) {
		return { ...before, problem: problem as Error };
	}
}

/** The desired state with a list that was read. @param watched companies that the trigger watches until now */
export function withList(
	desired: Omit<DesiredState, 'companies' | 'companySet' | 'kept'>,
	list: Companies,
	watched: string[],
): DesiredState {
	const { names, unreadable, refusal } = list;
	const { companies, kept } = companiesToWatch(list, watched, desired.options.unwatchable);
	const allNames = new Map([...desired.names, ...names]);
	return {
		...withCompanies({ ...desired, names: allNames, unreadable, refusal }, companies),
		kept,
	};
}

export function withCompanies(
	desired: Omit<DesiredState, 'companies' | 'companySet' | 'kept'>,
	companies: string[],
): DesiredState {
	return { ...desired, companies, companySet: new Set(companies), kept: [] };
}

/**
 * The companies of a list, and those that stay watched because a row cannot be read: a mistyped number
 * must not end the watch of its company.
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

/** What a publish changes. */
export interface Changes {
	added: string[];
	removed: string[];
}

export function changesOf(previous: string[], companies: string[]): Changes {
	return { added: difference(companies, previous), removed: difference(previous, companies) };
}
