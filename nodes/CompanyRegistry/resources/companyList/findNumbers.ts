import { find, memoize, toLower, uniq } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';

import { nameColumns } from '../../lists/names';
import { readListItems } from '../../lists/readList';
import { cellText } from '../../shared/format';
import { searchByName } from '../../registry/companies';
import { messageOf, RegistryFailure } from '../../registry/failure';
import { CONCURRENT_REQUESTS } from '../../registry/registry';
import type { FoundCompany } from '../../registry/schemas';
import { concurrently } from '../../shared/async';
import { readText } from '../readParameters';
import { FromRow, type Item, type Operation } from '../run';
import { hasSameName, rateMatch, searchTexts, type Match, type NamedRow } from './matchName';

const RESULTS = 20;
/** After so many failed searches in a row, no more are sent. */
const MOST_FAILURES = 3;
/** The result of an earlier run for a row. */
const ASKED = ['exact', 'differs', 'check', 'none'];

const companyNameField: INodeProperties = {
	displayName: 'Company Name',
	name: 'companyName',
	type: 'string',
	default: '',
	placeholder: 'e.g. Tessellate Stores Ltd',
	description:
		'Name to search for. Drag the input field with the name here, or leave empty to use the column with a name heading.',
};

export const findNumbers = {
	option: {
		name: 'Find Numbers',
		value: 'findNumbers',
		description: 'Search for companies by name, and check names against known numbers',
		action: 'Find company numbers by name',
	},
	takesTable: true,
	fields: [companyNameField],
	prepare: (item) => {
		const rows = readNamedRows(item);
		return async () => {
			const matches = await matchAll(item, rows);
			const items = item.rows;
			return rows.map((row, index) => {
				const match = matches.get(index);
				const json = items[index];
				return new FromRow(index, row && match ? outcomeOf(json, row, match) : json);
			});
		};
	},
} satisfies Operation;

/** The name and number of each item, as far as it has them; undefined for a row that an earlier run has settled. */
function readNamedRows(item: Item): Array<NamedRow | undefined> {
	const items = item.rows;
	const list = readListItems(items);
	const listed = 'listed' in list ? list.listed : [];
	const numbers = new Map(listed.map(({ item: index, number }) => [index, number]));
	const headings = uniq(items.flatMap(Object.keys));
	const column = headings[nameColumns(headings)[0] ?? -1];
	// As entered: an expression may give an empty text.
	const isLeftEmpty = (item.context.getNode().parameters.companyName ?? '') === '';

	return item.all.map((one, index) => {
		const json = items[index];
		if (ASKED.includes(String(json.match))) return undefined;
		const name = isLeftEmpty
			? cellText(json[column ?? ''])
			: readText(one, companyNameField, one.parameter('companyName', ''));
		return { name, number: numbers.get(index) };
	});
}

function outcomeOf(json: object, { number }: NamedRow, { found, match, candidates }: Match) {
	return {
		...json,
		company_number: number ?? found?.company_number ?? null,
		found_name: found?.company_name ?? null,
		company_status: found?.company_status ?? null,
		match,
		candidates,
	};
}

const NONE: Match = { match: 'none', candidates: [] };
const NOT_ASKED: Match = { match: 'not asked', candidates: [] };

type Search = (text: string) => Promise<FoundCompany[]>;

/** Values that n8n keeps for the next batches of a loop. */
interface Loop {
	/** Whether the service has answered a search. */
	isAnswered?: boolean;
	/** Why no more searches are sent. */
	gone?: string;
}

/**
 * Searches for each row. If the service stops answering, the matches so far stay, and no other row is searched.
 * @throws RegistryFailure if the service refuses every search
 */
async function matchAll({ account, context }: Item, rows: Array<NamedRow | undefined>) {
	const { registry, signal, hints } = account;
	const loop: Loop = context.getContext('node');
	let failuresInTurn = 0;
	let failure: unknown;

	const search: Search = memoize(async (name: string) => {
		const found = await searchByName(registry, name, RESULTS, signal);
		loop.isAnswered = true;
		failuresInTurn = 0;
		return found;
	}, toLower);

	const matches = new Map<number, Match>();
	await concurrently([...rows.entries()], CONCURRENT_REQUESTS, async ([index, row]) => {
		if (row === undefined) return;
		matches.set(index, NOT_ASKED);
		if (loop.gone) return;
		const match = await matchRow(row, search).catch((reason: unknown) => {
			failure = reason;
			if (++failuresInTurn >= MOST_FAILURES) loop.gone = messageOf(reason);
			return NOT_ASKED;
		});
		matches.set(index, match);
	});

	const isRefused = failure instanceof RegistryFailure && failure.kind === 'refused';
	const isNeverAnswered = isRefused && !loop.isAnswered;
	if (signal.aborted || isNeverAnswered) return await Promise.reject(failure ?? signal.reason);

	const left = [...matches.values()].filter((match) => match === NOT_ASKED).length;
	if (left > 0) hints.add(describeLeft(left, rows.length, loop.gone ?? messageOf(failure)));
	return matches;
}

function describeLeft(left: number, all: number, why: string): string {
	return `${left} of ${all} companies were not searched: ${why}. Run this node again with its output to search only for these.`;
}

/** Searches for the number first, if the row has one, and then for its name. */
async function matchRow(row: NamedRow, search: Search): Promise<Match> {
	const { name, number } = row;
	if (name === '') return NONE;
	const byNumber = number === undefined ? [] : await search(number);
	const own = find(byNumber, { company_number: number });
	if (own && hasSameName(own, name)) return rateMatch(row, own, []);

	let found: FoundCompany[] = [];
	for (const text of searchTexts(name)) {
		if (found.length === 0) found = await search(text);
	}
	return rateMatch(row, own ?? find(found, { company_number: number }), found);
}
