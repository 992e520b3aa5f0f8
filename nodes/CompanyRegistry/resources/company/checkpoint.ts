import { isPlainObject, map, partition, sortBy, union } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { digestOf } from '../../shared/digest';

/** Starts every text, so that an empty record differs from a first run. */
const MARK = 'checkpoint1';
/** An entry's digest; or a field's name and value, both as digests. */
export const CHECKPOINT = new RegExp(`^${MARK}(?: (?:[\\w-]{9}|[\\w-]{6}=[\\w-]{9}))*$`);
/** Entries kept in total, if the last answer has fewer. */
const MAXIMUM_ENTRIES = 2000;

/** An entry of a list in the record, or a field outside of lists. */
interface Part {
	entry: object;
	/** Digest of the field's name; undefined for an entry of a list. */
	field?: string;
	/** Digest of the content; 54 bits suffice for the entries of one company. */
	digest: string;
}

/**
 * The entries and fields of a record that are new since an earlier run, and the next checkpoint.
 * @param checkpoint the text that this returned in that run; empty in the first
 * @param isList whether the record is a list of entries
 */
export function changesSince(record: object[], isList: boolean, checkpoint: string) {
	const [pairs, before] = partition(checkpoint.split(' ').slice(1), (part) => part.includes('='));
	const fields = new Map(pairs.map((pair) => pair.split('=') as [string, string]));
	const entries = new Set(before);

	const copies = new Map<string, number>();
	/** Two events may look alike: each further copy of an entry has a digest of its own. */
	const asCopy = (part: Part): Part => {
		if (part.field !== undefined) return part;
		const copy = (copies.get(part.digest) ?? 0) + 1;
		copies.set(part.digest, copy);
		return copy === 1 ? part : { ...part, digest: contentDigest([part.digest, copy], 9) };
	};
	const parts = record
		.flatMap((entry) => (isList ? entryOf(entry, entry) : partsOf(entry, '')))
		.map(asCopy);

	const added = parts.filter(({ field, digest }) =>
		field === undefined ? !entries.has(digest) : fields.get(field) !== digest,
	);

	const [ofFields, ofEntries] = partition(parts, 'field');
	const current = new Map(ofFields.map(({ field = '', digest }) => [field, digest]));
	// A missing field is forgotten, so that its return is new, unless most are missing.
	const isShort = [...fields.keys()].filter((field) => current.has(field)).length * 2 < fields.size;
	const knownFields = isShort ? [...new Map([...fields, ...current])] : [...current];

	// Missing entries stay known: a short answer must not make all of them new in the next run.
	const all = union(map(ofEntries, 'digest'), before);
	const kept = all.slice(0, Math.max(ofEntries.length, MAXIMUM_ENTRIES));
	const texts = [MARK, ...knownFields.map((pair) => pair.join('=')), ...kept];

	return { entries: map(added, 'entry'), checkpoint: texts.join(' ') };
}

function entryOf(entry: object, content: unknown): Part {
	return { entry, digest: contentDigest(content, 9) };
}

/** Splits a record of unknown structure into the entries of its lists and its other fields. */
function partsOf(value: unknown, path: string): Part[] {
	if (Array.isArray(value)) {
		return value.map((entry: unknown) =>
			entryOf(isPlainObject(entry) ? (entry as object) : { [path]: entry }, [path, entry]),
		);
	}
	if (!isPlainObject(value)) {
		return [{ ...entryOf({ [path]: value }, value), field: contentDigest(path, 6) }];
	}
	return Object.entries(value as IDataObject).flatMap(([key, inner]) =>
		partsOf(inner, path === '' ? key : `${path}.${key}`),
	);
}

/** @param length characters of six bits each */
function contentDigest(content: unknown, length: number): string {
	// The order of an object's fields means nothing.
	const sorted = (_key: string, value: unknown) =>
		isPlainObject(value) ? sortBy(Object.entries(value as object), 0) : value;
	return digestOf(JSON.stringify(content, sorted), length);
}
