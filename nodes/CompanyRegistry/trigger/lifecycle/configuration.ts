import { map, uniq } from 'lodash';
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { LinkFailure, NO_LINK, readLink } from '../../lists/link';
import { choosesReport } from '../../shared/events';
import { optionsSchema, readCompaniesFrom, readOptions } from '../parameters/options';
import {
	rowsInForce,
	enteredList,
	namesIn,
	readCompanies,
	readEvents,
	toListInForce,
	type ListInForce,
	type Companies,
} from '../parameters/watchlist';
import { noReading, type DesiredState, type Reading } from '../records/desired';
import type { Facts } from '../records/facts';
import type { Subscription } from '../records/subscription';
import { urlOf } from './identity';
import { changeList } from './listChange';

type Context = IHookFunctions | ITriggerFunctions;

const LIST_CREDENTIAL = 'companyRegistryListApi';
/** Classes of n8n's errors for expressions. */
const EXPRESSION_ERRORS = ['ExpressionError', 'UserError'];

/** What is desired, what was read of the list, and the list to be stored once it is in force. */
export interface Configuration {
	desired: DesiredState;
	reading: Reading;
	/** Undefined where none was read. */
	list?: ListInForce;
}

/** The state that the trigger has accepted and knows, in force until it accepts another one. */
interface Previous {
	facts: Facts;
	subscriptions: Subscription[];
	desired?: DesiredState;
	reading?: Reading;
}

/** Without companies, which an unpublish desires. */
export function emptyDesired(url: string): DesiredState {
	const reports = { isChosen: false, isLiteral: false };
	const options = optionsSchema.parse({});
	return { companies: [], events: [], url, options, reports, followsLink: false };
}

/**
 * Reads the node's parameters. Where they cannot be read, the previous state stays in force.
 * @param isChange whether a publish may change what is in force, and not only read it again
 */
export function readConfiguration(
	context: IHookFunctions,
	previous: Previous,
	isChange: boolean,
): Configuration {
	let inForce = previousConfiguration(context, previous);
	try {
		const options = readOptions(context);
		const companiesFrom = readCompaniesFrom(context);
		const events = readEvents(context, options);
		const isChosen = choosesReport(context.getNodeParameter('events', []));
		const reports = { ...inForce.desired.reports, isChosen };
		const followsLink = companiesFrom === 'link';
		const desired = { ...inForce.desired, options, events, reports, followsLink };
		inForce = { ...inForce, desired };

		// The link is read by the pass.
		const list = enteredList(context);
		if (list === undefined) return inForce;
		return withList(inForce, readCompanies(list, companiesFrom), previous, isChange);
	} catch (reason) {
		const problem = withNextStep(reason as Error);
		return { ...inForce, reading: { ...inForce.reading, problem } };
	}
}

/** n8n's own words for an expression name neither the cause nor the next step. */
function withNextStep(reason: Error): Error {
	if (!EXPRESSION_ERRORS.includes(reason.constructor.name)) return reason;
	return new Error(
		`An expression in this node cannot be evaluated (${reason.message}). Open the node, correct the expression and publish`,
	);
}

/**
 * The desired state with the list that its link, if it follows one, leads to.
 * @throws Error where the link gives no company
 */
export async function followLink(
	context: Context,
	read: Configuration,
	previous: Previous,
	isChange: boolean,
): Promise<Configuration> {
	if (!read.desired.followsLink) return read;
	// n8n's own words name neither the list nor the next step.
	const isChosen = context.getNode().credentials?.[LIST_CREDENTIAL] !== undefined;
	if (!isChosen) throw new LinkFailure(NO_LINK);
	const credential = await context.getCredentials(LIST_CREDENTIAL);
	const list = await readLink(context, credential);
	const reading = { ...read.reading, problem: undefined };
	return withList({ ...read, reading }, readCompanies(list, 'link'), previous, isChange);
}

/** The state that was accepted last: the list in force, and the events of its webhooks. */
function previousConfiguration(context: IHookFunctions, previous: Previous): Configuration {
	const { facts, desired, subscriptions } = previous;
	const rows = rowsInForce(facts.list);
	const companies = map(rows, 'number') as string[];
	// One webhook may lack some: an event that is not wanted is ignored, a missing one is lost.
	const events = desired?.events ?? uniq(subscriptions.flatMap(({ target }) => target.events));
	// As it was entered: an expression may be what cannot be read.
	const isChosen = choosesReport(context.getNode().parameters.events);

	return {
		desired: {
			...emptyDesired(urlOf(context)),
			...{ companies, events, options: desired?.options ?? optionsSchema.parse({}) },
			reports: { isChosen, isLiteral: isChosen },
		},
		reading: noReading({
			...previous.reading,
			names: namesWith(previous, namesIn(rows)),
			problem: undefined,
		}),
	};
}

/** The desired state with a list that was read. Companies that left it may stay watched. */
function withList(
	{ desired, reading }: Configuration,
	now: Companies,
	previous: Previous,
	isChange: boolean,
): Configuration {
	const withWebhook = new Set(map(previous.subscriptions, 'company'));
	const { rows, waiting, changedNumbers } = changeList({
		before: rowsInForce(previous.facts.list),
		now,
		hasWebhook: (company) => withWebhook.has(company),
		allowsLargeRemovals: isChange && desired.options.allowLargeRemovals,
	});
	const { list, leftOut } = toListInForce(rows);
	const { unreadable, completed, unclearNames } = now;
	const names = namesWith(previous, namesIn(rows));
	return {
		desired: { ...desired, companies: map(rows, 'number') as string[] },
		reading: {
			...reading,
			...{ names, unreadable, completed, unclearNames, leftOut, waiting, changedNumbers },
		},
		list,
	};
}

/** Reports name companies that have left, too. */
function namesWith(
	{ facts, subscriptions, reading }: Previous,
	names: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
	const withWebhook = new Set(map(subscriptions, 'company'));
	const earlier = [...namesIn(rowsInForce(facts.list)), ...(reading?.names ?? [])];
	return new Map([...earlier.filter(([company]) => withWebhook.has(company)), ...names]);
}
