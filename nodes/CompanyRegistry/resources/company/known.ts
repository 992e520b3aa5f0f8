import { isPlainObject, partition, sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { digestOf } from '../../shared/digest';

/** Starts every text, so that an empty record differs from a first run. */
const MARK = 'known1';
/** An entry's digest, with its count if above one; or a field's name and value, both as digests. */
const ENTRY = '[\\w-]{9}(?:\\*\\d{1,9})?';
const FIELD = '[\\w-]{6}=[\\w-]{9}';
export const KNOWN = new RegExp(`^${MARK}(?: (?:${ENTRY}|${FIELD}))*$`);
/** Entries kept in total, if the last answer has fewer. */
const MAXIMUM_KNOWN = 2000;

/** An entry of a list in the record, or a field outside of lists. */
interface Part {
	/** The output. */
	entry: object;
	/** Digest of the field's name; undefined for an entry of a list. */
	field?: string;
	/** Digest of the content; 54 bits suffice for the entries of one company. */
	digest: string;
}

/** The known content of a record. */
class KnownRecord {
	constructor(
		/** The highest count of each entry, by digest. */
		private entries: Map<string, number>,
		/** The last value of each field, as digests. */
		private fields: Map<string, string>,
	) {}

	/** Remembers the record's current content and returns the new parts. */
	update(record: object[], isList: boolean): object[] {
		const parts = record.flatMap((entry) => (isList ? entryOf(entry, entry) : partsOf(entry, '')));
		const counts = new Map<string, number>();
		const isNew = ({ field, digest }: Part) => {
			if (field !== undefined) return this.fields.get(field) !== digest;
			const count = (counts.get(digest) ?? 0) + 1;
			counts.set(digest, count);
			return count > (this.entries.get(digest) ?? 0);
		};
		const added = parts.filter(isNew);

		// Missing entries stay known: a short answer must not make all entries new in the next run.
		const missing = [...this.entries].filter(([digest]) => !counts.has(digest));
		const all = [...counts, ...missing].slice(0, Math.max(counts.size, MAXIMUM_KNOWN));
		this.entries = new Map(
			all.map(([digest, count]) => [digest, Math.max(count, this.entries.get(digest) ?? 0)]),
		);
		const fields = new Map(parts.flatMap(({ field, digest }) => (field ? [[field, digest]] : [])));
		// A missing field is forgotten, so that its return is new, unless most fields are missing.
		const kept = [...this.fields.keys()].filter((field) => fields.has(field)).length;
		this.fields = kept * 2 < this.fields.size ? new Map([...this.fields, ...fields]) : fields;
		return added.map(({ entry }) => entry);
	}

	toString(): string {
		const entries = [...this.entries].map(
			([digest, count]) => digest + (count > 1 ? `*${count}` : ''),
		);
		const fields = [...this.fields].map((pair) => pair.join('='));
		return [MARK, ...fields, ...entries].join(' ');
	}
}

/** Reads the text from {@link KnownRecord.toString}, or an empty text. */
export function readKnown(known: string): KnownRecord {
	const [fields, entries] = partition(known.split(' ').slice(1), (part) => part.includes('='));
	return new KnownRecord(
		new Map(
			entries.map((part) => part.split('*')).map(([digest, count = 1]) => [digest, Number(count)]),
		),
		new Map(fields.map((part) => part.split('=') as [string, string])),
	);
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
	return digestOf(JSON.stringify(sorted(content)), length);
}

/** Sorts the fields of objects, because their order carries no meaning. */
function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (!isPlainObject(value)) return value;
	return sortBy(Object.entries(value as IDataObject), 0).map(([key, one]) => [key, sorted(one)]);
}
