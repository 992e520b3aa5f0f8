import { findLine } from './findLine';

/** A webhook at the service whose id and secret this trigger holds. Both exist or neither does. */
export interface KnownWebhook {
	/** Random query parameter of its destination, by which a delivery finds it. */
	reference: string;
	company: string;
	id: string;
	secret: string;
	/**
	 * `watched`: active, as far as is known, and delivering to the trigger's URL.
	 * `paused`: kept to be resumed.
	 * `unconfirmed`: a change was sent and the service has not confirmed it, so it may be active or not.
	 */
	status: 'watched' | 'paused' | 'unconfirmed';
}

/** Whether the service may deliver for it. */
export function mayBeActive({ status }: Pick<KnownWebhook, 'status'>): boolean {
	return status !== 'paused';
}

/** Lines by the first character of their reference, one line for each webhook, sorted. */
export type WebhookLines = Record<string, string>;

/** Length in characters. A shorter text could match the beginning of a reference, so it is refused. */
const REFERENCE_LENGTH = 22;
const MARKS = { watched: '+', paused: '-', unconfirmed: '!' } as const;
const STATUSES: Record<string, KnownWebhook['status']> = {
	'+': 'watched',
	'-': 'paused',
	'!': 'unconfirmed',
};

export function writeLines(webhooks: KnownWebhook[]): WebhookLines {
	const lines: WebhookLines = {};
	const sorted = [...webhooks].sort((one, other) => (one.reference < other.reference ? -1 : 1));
	for (const { reference, status, company, id, secret } of sorted) {
		const line = `${reference} ${MARKS[status]}${company} ${escape(id)} ${escape(secret)}`;
		const bucket = reference[0];
		lines[bucket] = Object.hasOwn(lines, bucket) ? `${lines[bucket]}\n${line}` : line;
	}
	return lines;
}

export function readLines(lines: WebhookLines): KnownWebhook[] {
	return Object.values(lines).flatMap((bucket) => bucket.split('\n').map(parseLine));
}

/** The webhook with this reference. Reads one bucket and parses one line of it. */
export function findInLines(
	lines: WebhookLines | undefined,
	reference: string,
): KnownWebhook | undefined {
	if (reference.length !== REFERENCE_LENGTH) return undefined;
	const bucket = lines?.[reference[0]];
	if (bucket === undefined) return undefined;
	const start = findLine(bucket, reference);
	if (start === -1) return undefined;
	const end = bucket.indexOf('\n', start);
	return parseLine(bucket.slice(start, end === -1 ? undefined : end));
}

/** Without `split`, which makes an array: every delivery comes through here. */
function parseLine(line: string): KnownWebhook {
	const afterCompany = line.indexOf(' ', REFERENCE_LENGTH + 1);
	const afterId = line.indexOf(' ', afterCompany + 1);
	return {
		reference: line.slice(0, REFERENCE_LENGTH),
		status: STATUSES[line[REFERENCE_LENGTH + 1]],
		company: line.slice(REFERENCE_LENGTH + 2, afterCompany),
		id: unescape(line.slice(afterCompany + 1, afterId)),
		secret: unescape(line.slice(afterId + 1)),
	};
}

/** Keeps the line's separators out of values whose form the service does not promise. */
function escape(value: string): string {
	return value.replace(/[%\s]/g, encodeURIComponent);
}

/** Most values hold nothing escaped, and looking costs less than decoding. */
function unescape(value: string): string {
	return value.includes('%') ? decodeURIComponent(value) : value;
}
