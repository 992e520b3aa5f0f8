import { difference, map, reject, union } from 'lodash';
import type { IHookFunctions } from 'n8n-workflow';

import type { LinkedList } from '../../lists/link';
import { readListText } from '../../lists/readList';
import type { storedText } from '../../lists/storedList';
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
import type { TriggerMemory } from './state';

/** The webhooks that a published trigger should have at the service, and what was read of its list. */
export interface DesiredState extends Companies {
	companySet: ReadonlySet<string>;
	/** Event names of the service. */
	events: string[];
	/** n8n's URL of the trigger. */
	url: string;
	options: TriggerOptions;
	/** Companies that are watched only because a row of the list cannot be read. */
	kept: string[];
	showsStatus: boolean;
	/** Whether the list is read from a link, again at each pass. */
	followsLink: boolean;
	/** What the link gave; undefined until it was read. */
	followed?: Omit<LinkedList, 'list'> & ReturnType<typeof storedText>;
	/** Why the parameters or the link cannot be read: the previous state stays in force. */
	problem?: Error;
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
		rows: 0,
		repeated: 0,
		kept: [],
		showsStatus: false,
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
	const companies = desired?.companies ?? map(reject(all, { status: 'paused' }), 'company');
	const names = desired?.names ?? new Map<string, string>();
	const before = { ...withCompanies(emptyDesired(url, facts.events), companies), names };
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
		const followsLink = from === 'link';
		const stored = facts.list && readListText(facts.list.text);
		const list = followsLink ? stored : enteredList(context);
		const followed = { ...read, followsLink };
		return list ? withList(followed, readCompanies(list, from), watched) : followed;
	} catch (problem) {
		// As it was entered: an expression may be what cannot be read.
		const showsStatus = choosesStatus(context.getNode().parameters.events);
		return { ...before, showsStatus, problem: problem as Error };
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
	return { ...withCompanies({ ...desired, ...list }, union(list.companies, kept)), names, kept };
}

export function withCompanies(desired: DesiredState, companies: string[]): DesiredState {
	return { ...desired, companies, companySet: new Set(companies) };
}

export function changesOf(previous: string[], companies: string[]): Changes {
	return { added: difference(companies, previous), removed: difference(previous, companies) };
}
