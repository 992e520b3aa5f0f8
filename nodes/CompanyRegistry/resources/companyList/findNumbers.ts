import { omit } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';

import { searchAnswerSchema, type FoundCompany } from '../../registry/schemas';
import { comparableNumber } from '../../shared/companyNumber';
import { readText } from '../readParameters';
import type { Operation } from '../run';

const RESULTS = 20;
const MAXIMUM_CANDIDATES = 5;
const FORMS = ['limited', 'ltd', 'plc', 'llp'];

const companyNameField: INodeProperties = {
	displayName: 'Company Name',
	name: 'companyName',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. Tessellate Stores Ltd',
	description: 'The name to search for: drag the field of the items that holds it here',
};

export const findNumbers: Operation = {
	option: {
		name: 'Find Numbers',
		value: 'findNumbers',
		description: 'Search for companies whose names you have',
		action: 'Find numbers of company list',
	},
	fields: [companyNameField],
	prepare: (item) => {
		const name = readText(item, companyNameField, item.parameter('companyName', ''));
		const wanted = comparableName(name);
		/** A number that came with the item stays where none is found. */
		const outcomeOf = (found: FoundCompany[]) => {
			const { company_number, ...match } = matchOf(found, wanted);
			const before = item.json.company_number ?? null;
			// What *Read* says of a row without a number holds no more once there is one.
			const isMended = before === null && company_number !== null;
			const row = isMended ? omit(item.json, 'problem') : item.json;
			return [{ ...row, company_number: company_number ?? before, ...match }];
		};
		return async () => {
			if (wanted === '') return outcomeOf([]);
			const { registry, signal, searches } = item.account;
			const qs = { q: searchText(name), items_per_page: RESULTS };
			const request = { method: 'GET', path: '/v1/search', qs } as const;
			const search = async () =>
				(await registry.request(request, searchAnswerSchema, signal)).data.items;
			const found = searches.get(wanted) ?? search();
			searches.set(wanted, found);
			return outcomeOf(await found);
		};
	},
};

function matchOf(found: FoundCompany[], wanted: string) {
	const same = found.filter(({ company_name }) => comparableName(company_name ?? '') === wanted);
	const statuses = same.map(({ company_status }) => company_status?.toLowerCase());
	const active = same.filter((_, index) => statuses[index] === 'active');
	const isAlone =
		active.length === 1 && statuses.filter((one) => one === 'dissolved').length === same.length - 1;
	const exact = same.length === 1 ? same[0] : isAlone ? active[0] : undefined;
	const others = same.length > 0 ? same : found;
	return {
		company_number: exact ? comparableNumber(exact.company_number) : null,
		found_name: exact?.company_name ?? null,
		company_status: exact?.company_status ?? null,
		match: exact ? 'exact' : same.length > 0 ? 'several' : 'none',
		candidates: exact ? [] : others.slice(0, MAXIMUM_CANDIDATES),
	};
}

/** A name without its legal form and *The*: a search may look for the text as it is. */
function searchText(name: string): string {
	const words = name.split(/\s+/);
	if (words.length > 1 && FORMS.includes(lettersOf(words[words.length - 1]))) words.pop();
	if (words.length > 1 && lettersOf(words[0]) === 'the') words.shift();
	return words.join(' ');
}

/** `The Fox & Co. Ltd` is the same name as `FOX AND CO LIMITED`. */
function comparableName(name: string): string {
	return lettersOf(searchText(name.trim()).replaceAll('&', 'and'));
}

function lettersOf(text: string): string {
	return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
