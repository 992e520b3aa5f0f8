import { createHash } from 'crypto';

import { isPlainObject, sortBy, uniq } from 'lodash';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { readCompanyNumber, readText, refuseValue } from '../readParameters';
import type { Operation } from '../run';
import { readRecordPath, recordPathField } from './getRecord';

/** Marks what this operation gave out, also where the record had no entry. */
const MARK = 'known1';
const KNOWN = new RegExp(`^${MARK}(?: [\\w-]{9})*$`);
/** Entries that are kept in mind beside those of the last answer. */
const MAXIMUM_KNOWN = 2000;

const knownField: INodeProperties = {
	displayName: 'Known',
	name: 'known',
	type: 'string',
	default: '',
	placeholder: 'e.g. known1 0aB3dE6gH',
	description:
		"What this operation put out as 'known' the last time. If empty, nothing is new yet: it only remembers.",
};

export const getNew: Operation = {
	option: {
		name: 'Get What Is New',
		value: 'getNew',
		description: 'Read a record and find what was not in it the last time',
		action: 'Get what is new in company record',
	},
	takesCompany: true,
	fields: [recordPathField, knownField],
	prepare: (item) => {
		const company_number = readCompanyNumber(item);
		const path = readRecordPath(item, company_number);
		const known = readText(item, knownField, item.parameter('known', ''));
		if (known !== '' && !KNOWN.test(known)) {
			const next = "Use the text that this operation put out as 'known' the last time, unchanged.";
			throw refuseValue(item, knownField, known, next);
		}
		return async () => {
			const { entries, isList } = await item.account.get(path);
			const before = new Set(known.split(' ').slice(1));
			const isNew = ({ digest }: Part) => !before.has(digest);
			const wholes = entries.map((entry) => partOf(entry, entry));
			// Of a record that is no list, only what has changed in it.
			const parts = isList ? [] : entries.flatMap((entry) => partsOf(entry, ''));
			const newParts = parts.filter(isNew);
			const found = newParts.length < parts.length ? newParts : wholes.filter(isNew);
			const digests = uniq([...wholes, ...parts].map(({ digest }) => digest));
			// Also what was known before: one short answer does not make everything new in the next.
			const all = uniq([...digests, ...before]);
			return [
				{
					company_number,
					entries: known === '' ? [] : found.map(({ entry }) => entry),
					known: [MARK, ...all.slice(0, Math.max(digests.length, MAXIMUM_KNOWN))].join(' '),
				},
			];
		};
	},
};

interface Part {
	entry: object;
	/** 54 bits: enough to tell the entries of one company apart. */
	digest: string;
}

function partOf(entry: object, content: unknown): Part {
	const digest = createHash('sha256')
		.update(JSON.stringify(sorted(content)))
		.digest('base64url');
	return { entry, digest: digest.slice(0, 9) };
}

/** What a record holds is not known: each entry of a list in it is a part, and each field outside of lists. */
function partsOf(value: unknown, path: string): Part[] {
	if (Array.isArray(value)) {
		return value.map((entry: unknown) =>
			partOf(isPlainObject(entry) ? (entry as object) : { [path]: entry }, [path, entry]),
		);
	}
	if (!isPlainObject(value)) return [partOf({ [path]: value }, [path, value])];
	return Object.entries(value as IDataObject).flatMap(([key, inner]) =>
		partsOf(inner, path === '' ? key : `${path}.${key}`),
	);
}

/** Without the order of fields, which no service promises. */
function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (!isPlainObject(value)) return value;
	return sortBy(Object.entries(value as IDataObject), 0).map(([key, one]) => [key, sorted(one)]);
}
