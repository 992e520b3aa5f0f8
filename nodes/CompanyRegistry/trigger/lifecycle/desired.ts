import { difference, map, union, uniq } from 'lodash';
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { LinkFailure, NO_LINK, readLink } from '../../lists/link';
import { digestOf } from '../../shared/digest';
import { choosesReport } from '../../shared/events';
import {
	isSignatureUsable,
	optionsSchema,
	readCompaniesFrom,
	readOptions,
	type TriggerOptions,
} from '../parameters/options';
import {
	acceptedCompanies,
	acceptedRow,
	currentList,
	readCompanies,
	readEvents,
	toAcceptedList,
	type AcceptedList,
	type Companies,
} from '../parameters/watchlist';
import {
	companiesToKeep,
	correctedSlips,
	exchangedNumbers,
	type ExchangedNumber,
	type KeptCompanies,
} from './kept';
import type { Facts } from '../records/facts';
import { urlOf } from './identity';
import type { Known } from '../records/subscription';

const LIST_CREDENTIAL = 'companyRegistryListApi';
/** Classes of n8n's errors for expressions. */
const EXPRESSION_ERRORS = ['ExpressionError', 'UserError'];

/** The webhooks that a published trigger should have at the service, and what was read of its list. */
export interface DesiredState extends Companies {
	/** Event names of the service. */
	events: string[];
	/** n8n's URL of the trigger. */
	url: string;
	options: TriggerOptions;
	/** Companies that stay watched although the list no longer has them, by number; they are among the companies. */
	kept: KeptCompanies;
	/** Wrong numbers of earlier slips, which end without being news. */
	corrected: string[];
	/** Events that were chosen before, until a report has said so. */
	dropped: string[];
	/** Names that have the number of another company of the list, until they have their own again or are confirmed. */
	exchanged: ExchangedNumber[];
	showsReport: boolean;
	/** Whether the list is read from a link, again at each pass. */
	followsLink: boolean;
	/** The list as it is stored once it is accepted; undefined where none was read. */
	list?: AcceptedList;
	/** Facts about the linked file beside its list; undefined until it was read. */
	followed?: { isWindows1252: boolean; leftOut: string[] };
	/** Why the parameters or the link cannot be read: the previous state stays in force. */
	problem?: Error;
	/** Whether the settings for signatures are what cannot be read, so that all deliveries are refused. */
	isUnverifiable: boolean;
}

/** The state that the trigger has accepted and knows, in force until it accepts another one. */
interface Previous {
	facts: Facts;
	known: Known[];
	/** Companies that the service refused in the last pass of this process, with the reasons. */
	refused: ReadonlyMap<string, unknown>;
	desired?: DesiredState;
}

/** Without companies, which an unpublish desires. */
export function emptyDesired(url: string, events: string[] = []): DesiredState {
	return {
		companies: [],
		names: new Map(),
		unclearNames: [],
		events,
		url,
		options: optionsSchema.parse({}),
		unreadable: [],
		unreadNames: [],
		refusal: '',
		rows: 0,
		repeats: [],
		completed: [],
		kept: new Map(),
		corrected: [],
		dropped: [],
		exchanged: [],
		showsReport: false,
		followsLink: false,
		isUnverifiable: false,
	};
}

/**
 * Reads the node's parameters. Where they cannot be read, the previous state stays in force.
 * @param isFresh whether a person publishes what was not published: then a list may be confirmed
 */
export function readDesired(
	context: IHookFunctions,
	previous: Previous,
	isFresh: boolean,
): DesiredState {
	let desired = previousDesired(context, previous);
	try {
		const options = readOptions(context);
		const companiesFrom = readCompaniesFrom(context);
		desired = withEvents({ ...desired, options }, readEvents(context, options), previous);
		const showsReport = choosesReport(context.getNodeParameter('events', []));
		const read = { ...desired, showsReport, followsLink: companiesFrom === 'link' };
		// The link is read by the pass.
		const list = read.followsLink ? undefined : currentList(context);
		if (list === undefined) return read;

		const companies = readCompanies(list, companiesFrom);
		const { accepted } = toAcceptedList(list);
		return withList({ ...read, list: accepted }, companies, previous, isFresh);
	} catch (reason) {
		const isUnverifiable = !isSignatureUsable(context);
		return { ...desired, problem: problemIn(reason as Error), isUnverifiable };
	}
}

/** Deliveries are filtered by the chosen events, also where the list cannot be read. */
function withEvents(
	desired: DesiredState,
	events: string[],
	{ facts, desired: previous }: Previous,
): DesiredState {
	const told = Object.keys(facts.unchosen ?? {});
	// A webhook that could not be changed may still have them; a publish that failed has not reported them.
	const dropped = union(difference(desired.events, told), previous?.dropped);
	return { ...desired, events, dropped: difference(dropped, events) };
}

/** n8n's own words for an expression name neither the cause nor the next step. */
function problemIn(reason: Error): Error {
	if (!EXPRESSION_ERRORS.includes(reason.constructor.name)) return reason;
	return new Error(
		`An expression in this node cannot be evaluated (${reason.message}). Open the node, correct the expression and publish`,
	);
}

/**
 * The desired state with the list that its link, if it follows one, leads to.
 * @param isFresh whether a person publishes what was not published: then a list may be confirmed
 * @throws Error where the link gives no company
 */
export async function followLink(
	context: IHookFunctions | ITriggerFunctions,
	desired: DesiredState,
	previous: Previous,
	isFresh: boolean,
): Promise<DesiredState> {
	if (!desired.followsLink) return desired;
	// n8n's own words name neither the list nor the next step.
	const isChosen = context.getNode().credentials?.[LIST_CREDENTIAL] !== undefined;
	if (!isChosen) throw new LinkFailure(NO_LINK);
	const credential = await context.getCredentials(LIST_CREDENTIAL);
	const { list: read, digest, isWindows1252 } = await readLink(context, credential);
	const companies = readCompanies(read, 'link');
	const { accepted, leftOut } = toAcceptedList(read, digest);

	const followed = { isWindows1252, leftOut };
	const found = { ...desired, problem: undefined, list: accepted, followed };
	return withList(found, companies, previous, isFresh);
}

/** The state that was accepted last: the list, the companies kept beside it, and the events of its webhooks. */
function previousDesired(
	context: IHookFunctions,
	{ facts, desired, known }: Previous,
): DesiredState {
	const { companies, names } = acceptedCompanies(facts.list);
	const kept = keptIn(facts);
	// Webhooks of companies that left earlier have the events of that time.
	const accepted = new Set([...companies, ...kept.keys()]);
	const current = known.filter(({ company }) => accepted.has(company));
	// One webhook may lack some: an event that is not wanted is ignored, a missing one is lost.
	const events = uniq(current.flatMap(({ target }) => target.events));

	return {
		...emptyDesired(urlOf(context)),
		companies: [...accepted],
		names: withKeptNames(names, kept),
		kept,
		exchanged: facts.exchanged ?? [],
		events: desired?.events ?? events,
		options: desired?.options ?? optionsSchema.parse({}),
		// As it was entered: an expression may be what cannot be read.
		showsReport: choosesReport(context.getNode().parameters.events),
	};
}

/** The desired state with a list that was read. Companies that left it may stay watched. */
export function withList(
	desired: DesiredState,
	read: Companies,
	{ facts, known, refused, desired: previous }: Previous,
	isFresh: boolean,
): DesiredState {
	const isConfirmed = isFresh && facts.removalsReported === digestOfCompanies(read.companies);
	const isStrict = desired.options.unwatchable === 'stop';
	const withWebhook = new Set(map(known, 'company'));
	const change = {
		before: acceptedCompanies(facts.list),
		keptBefore: keptIn(facts),
		now: read,
		isRefused: (company: string) => refused.has(company) && !withWebhook.has(company),
		mayHideNumbers: read.unreadable.some(({ looksMistyped }) => isStrict || looksMistyped),
		unreadNames: read.unreadNames,
		rowOf: (company: string) => acceptedRow(facts.list, company),
	};
	const kept = isConfirmed ? new Map() : companiesToKeep(change);
	// Reports may name those that have left until their webhooks are paused.
	const earlierNames = [...(previous?.names ?? [])].filter(([company]) => withWebhook.has(company));
	const namesBefore = withKeptNames(change.before.names, change.keptBefore);

	return {
		...desired,
		...read,
		companies: [...read.companies, ...kept.keys()],
		// Reports name companies that have left, too.
		names: new Map([...earlierNames, ...namesBefore, ...withKeptNames(read.names, kept)]),
		kept,
		corrected: correctedSlips(change),
		exchanged: exchangedNumbers(change, facts.exchanged ?? [], isConfirmed),
	};
}

/** Names a list by its companies, whatever else it has. */
export function digestOfCompanies(companies: string[]): string {
	return digestOf([...companies].sort().join(), 16);
}

/** The companies of the list itself. */
export function listedCompanies({ companies, kept }: DesiredState): string[] {
	return companies.filter((company) => !kept.has(company));
}

export function keptIn({ kept = {} }: Facts): KeptCompanies {
	return new Map(Object.entries(kept));
}

function withKeptNames(
	names: ReadonlyMap<string, string>,
	kept: KeptCompanies,
): ReadonlyMap<string, string> {
	const ofKept = [...kept].flatMap(([company, { name }]) =>
		name ? [[company, name] as const] : [],
	);
	return new Map([...ofKept, ...names]);
}
