import { createHmac } from 'node:crypto';

/** A scheme in the terms of the trigger's custom signature option. */
export interface CustomScheme {
	header: string;
	/** What that header looks like, such as `t={timestamp},v1={signature}`. */
	headerFormat?: string;
	algorithm?: 'sha256' | 'sha512' | 'sha1';
	encoding?: 'hex' | 'base64' | 'base64url';
	/** Short for a `headerFormat` with this text before the signature. */
	prefix?: string;
	/** What is signed, with `{body}`, `{timestamp}`, `{id}` and `{url}` filled in; `{body}` unless given. */
	content?: string;
	timestampHeader?: string;
	idHeader?: string;
	/** `base64`: the key is what the text after `whsec_`, if that is there, decodes to. */
	secretEncoding?: 'utf8' | 'base64' | 'hex';
	/** How the time is written; in seconds unless given. */
	timeFormat?: TimeFormat;
}

type TimeFormat = keyof typeof TIME_FORMATS;

export interface Signable {
	secret: string;
	body: Buffer;
	id: string;
	/** Unix seconds. */
	timestamp: number;
	/** The address delivered to; a scheme that signs it needs it. */
	url?: string;
}

// The service's own scheme is not shown. These are the ones in common use.
const schemes = {
	standardWebhooks: {
		header: 'webhook-signature',
		encoding: 'base64',
		prefix: 'v1,',
		content: '{id}.{timestamp}.{body}',
		timestampHeader: 'webhook-timestamp',
		idHeader: 'webhook-id',
		secretEncoding: 'base64',
	},
	stripe: {
		header: 'stripe-signature',
		headerFormat: 't={timestamp},v1={signature}',
		content: '{timestamp}.{body}',
	},
	github: { header: 'x-hub-signature-256', prefix: 'sha256=', idHeader: 'x-github-delivery' },
	bodyHmac: { header: 'x-webhook-signature' },
} satisfies Record<string, CustomScheme>;

export type SchemeName = keyof typeof schemes;

/** The headers, lower-case, that a delivery carries under a scheme: signature, id and timestamp. */
export function signDelivery(
	named: SchemeName | CustomScheme,
	signable: Signable,
): Record<string, string> {
	const scheme: CustomScheme = typeof named === 'string' ? schemes[named] : named;
	const {
		header,
		algorithm = 'sha256',
		encoding = 'hex',
		prefix = '',
		content = '{body}',
	} = scheme;
	const time = TIME_FORMATS[scheme.timeFormat ?? 'seconds'](signable.timestamp);
	const digest = createHmac(algorithm, keyBytes(signable.secret, scheme.secretEncoding))
		.update(signedBytes(content, signable, time))
		.digest(encoding);
	const format = scheme.headerFormat || `${prefix}{signature}`;
	return {
		[header.toLowerCase()]: format
			.replace('{signature}', () => digest)
			.replace('{timestamp}', time)
			.replace('{id}', () => signable.id),
		...(scheme.timestampHeader && { [scheme.timestampHeader.toLowerCase()]: time }),
		...(scheme.idHeader && { [scheme.idHeader.toLowerCase()]: signable.id }),
	};
}

/** How senders write a time given in Unix seconds. `isoNanoseconds` has nine digits, `mail` is RFC 2822. */
export const TIME_FORMATS = {
	seconds: (seconds: number) => String(seconds),
	milliseconds: (seconds: number) => `${seconds}000`,
	microseconds: (seconds: number) => `${seconds}000000`,
	nanoseconds: (seconds: number) => `${seconds}000000000`,
	iso: (seconds: number) => dateOf(seconds).toISOString(),
	isoNanoseconds: (seconds: number) => dateOf(seconds).toISOString().replace('Z', '123456Z'),
	isoWithoutZone: (seconds: number) => dateOf(seconds).toISOString().slice(0, 19),
	http: (seconds: number) => dateOf(seconds).toUTCString(),
	mail: (seconds: number) =>
		dateOf(seconds + 3600)
			.toUTCString()
			.replace('GMT', '+0100'),
};

function dateOf(seconds: number): Date {
	return new Date(seconds * 1000);
}

function keyBytes(secret: string, encoding: CustomScheme['secretEncoding'] = 'utf8'): Buffer {
	return encoding === 'base64'
		? Buffer.from(secret.replace(/^[a-z_]*whsec_/, ''), 'base64')
		: Buffer.from(secret, encoding);
}

/** Works on bytes, because a body need not be valid UTF-8. */
function signedBytes(template: string, { body, id, url }: Signable, time: string): Buffer {
	const values: Record<string, Buffer> = {
		'{body}': body,
		'{id}': Buffer.from(id),
		'{timestamp}': Buffer.from(time),
		'{url}': Buffer.from(url ?? ''),
	};
	const parts = template.split(/(\{body\}|\{id\}|\{timestamp\}|\{url\})/);
	return Buffer.concat(parts.map((part) => values[part] ?? Buffer.from(part)));
}
