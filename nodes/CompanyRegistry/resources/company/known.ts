import { isPlainObject, partition, sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { digestOf } from '../../shared/digest';

/** Marks what was given out, also where the record had no entry. */
const MARK = 'known1';
/** An entry, and how often it is there if more than once; or a field, and what it holds. */
const ENTRY = '[\\w-]{9}(?:\\*\\d{1,9})?';
const FIELD = '[\\w-]{6}=[\\w-]{9}';
/** What such a text looks like. */
export const KNOWN = new RegExp(`^${MARK}(?: (?:${ENTRY}|${FIELD}))*$`);
/** Entries that are kept in mind beside those of the last answer. */
const MAXIMUM_KNOWN = 2000;

/** A part of a record: an entry of a list in it, or a field outside of lists. */
interface Part {
	/** As it is put out. */
	entry: object;
	/** Of a field: which it is. */
	field?: string;
	/** 54 bits: enough to tell the entries of one company apart. */
	digest: string;
}

/** What is known of a record. */
class Known {
	constructor(
		/** Of each entry of a list that there ever was, how often it was there. */
		private entries: Map<string, number>,
		/** What each field holds. */
		private fields: Map<string, string>,
	) {}

	/** Remembers what a record holds now, which may be a list of entries, and returns what is new of it. */
	takeIn(record: object[], isList: boolean): object[] {
		const parts = record.flatMap((entry) => (isList ? entryOf(entry, entry) : partsOf(entry, '')));
		const counts = new Map<string, number>();
		const isNewEntry = ({ digest }: Part) => {
			const count = (counts.get(digest) ?? 0) + 1;
			counts.set(digest, count);
			return count > (this.entries.get(digest) ?? 0);
		};
		const isNewField = ({ field = '', digest }: Part) => this.fields.get(field) !== digest;
		const found = parts.filter((part) =>
			(part.field === undefined ? isNewEntry : isNewField)(part),
		);

		// What was known before stays: one short answer does not make everything new in the next.
		const known = [...this.entries].filter(([digest]) => !counts.has(digest));
		const all = [...counts, ...known].slice(0, Math.max(counts.size, MAXIMUM_KNOWN));
		this.entries = new Map(
			all.map(([digest, count]) => [digest, Math.max(count, this.entries.get(digest) ?? 0)]),
		);
		const now = new Map(parts.flatMap(({ field, digest }) => (field ? [[field, digest]] : [])));
		// A field that is gone may come back with what it held, and is news then; but not all of a record.
		const isShort =
			[...this.fields.keys()].filter((field) => now.has(field)).length * 2 < this.fields.size;
		this.fields = isShort ? new Map([...this.fields, ...now]) : now;
		return found.map(({ entry }) => entry);
	}

	toString(): string {
		const entries = [...this.entries].map(
			([digest, count]) => digest + (count > 1 ? `*${count}` : ''),
		);
		const fields = [...this.fields].map((pair) => pair.join('='));
		return [MARK, ...fields, ...entries].join(' ');
	}
}

/** Reads what {@link Known.toString} has written, or an empty text. */
export function readKnown(known: string): Known {
	const [fields, entries] = partition(known.split(' ').slice(1), (part) => part.includes('='));
	return new Known(
		new Map(
			entries.map((part) => part.split('*')).map(([digest, count = 1]) => [digest, Number(count)]),
		),
		new Map(fields.map((part) => part.split('=') as [string, string])),
	);
}

function entryOf(entry: object, content: unknown): Part {
	return { entry, digest: contentDigest(content, 9) };
}

/** What a record holds is not known: each entry of a list in it is a part, and each field outside of lists. */
function partsOf(value: unknown, path: string): Part[] {
	if (Array.isArray(value)) {
		return value.map((entry: unknown) =>
			entryOf(isPlainObject(entry) ? (entry as object) : { [path]: entry }, [path, entry]),
		);
	}
	if (!isPlainObject(value)) {
		return [
			{ entry: { [path]: value }, field: contentDigest(path, 6), digest: contentDigest(value, 9) },
		];
	}
	return Object.entries(value as IDataObject).flatMap(([key, inner]) =>
		partsOf(inner, path === '' ? key : `${path}.${key}`),
	);
}

/** So many characters of six bits each. */
function contentDigest(content: unknown, length: number): string {
	return digestOf(JSON.stringify(sorted(content)), length);
}

/** Without the order of fields, which no service promises. */
function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (!isPlainObject(value)) return value;
	return sortBy(Object.entries(value as IDataObject), 0).map(([key, one]) => [key, sorted(one)]);
}
