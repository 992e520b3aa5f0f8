import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { CustomScheme as SignedScheme } from '../simulator/signing';

/** A sender of webhooks and how it signs, by its own documentation or public tables of such; one for each way. */
export interface Sender {
	name: string;
	/** How it signs, in the words of the simulator. */
	signs: SignedScheme;
	/** What its secrets look like. */
	secret: string;
	/** Other headers of its that look like parts of a signature and are not, or are of another. */
	beside: Record<string, string>;
}

export const TEXT = 'a secret of tests, as text';
export const BASE64 = Buffer.from('a secret of tests, as bytes').toString('base64');
export const HEX = Buffer.from('a secret of tests, as bytes').toString('hex');
const WHSEC = `whsec_${BASE64}`;

/** The usual ways to sign: over the body; a time in a header of its own; in the same; https://www.standardwebhooks.com. */
const SHAPES: Record<string, (name: string) => SignedScheme> = {
	body: (header) => ({ header }),
	timed: (header) => ({
		header,
		timestampHeader: header.replace('signature', 'timestamp'),
		content: '{timestamp}.{body}',
	}),
	list: (header) => ({
		header,
		headerFormat: 't={timestamp},v1={signature}',
		content: '{timestamp}.{body}',
	}),
	standard: (family) => ({
		header: `${family}-signature`,
		idHeader: `${family}-id`,
		timestampHeader: `${family}-timestamp`,
		prefix: 'v1,',
		encoding: 'base64',
		content: '{id}.{timestamp}.{body}',
		secretEncoding: 'base64',
	}),
};

/**
 * Reads a table of senders from `test/fixtures/senders`, a line each: name, shape, header (or its family), what else
 * is to be said, and where that was read: a public address or repository; nowhere for those that this package was
 * built after. What else: fields of the scheme, `secret`, and with a plus headers that stand beside.
 */
function read(table: string): Sender[] {
	const file = join(__dirname, '../fixtures/senders', `${table}.txt`);
	const lines = readFileSync(file, 'utf8').split('\n');
	return lines.filter(Boolean).map((line) => {
		const [name, shape, header, further = ''] = line.split(' | ');
		const said = further.split('; ').map((pair) => {
			const [key, ...value] = pair.split('=');
			const text = value.join('=').replace('{hex}', 'ab'.repeat(32));
			return [key, text.replace('{base64}', BASE64).replace('{whsec}', WHSEC)] as const;
		});
		const isBeside = ([key]: readonly [string, string]) => key.startsWith('+');
		const rest = Object.fromEntries(said.filter((one) => one[0] !== '' && !isBeside(one)));
		const beside = said.filter(isBeside).map(([key, value]) => [key.slice(1), value]);
		const { secret, ...fields } = rest;
		const signs: SignedScheme = { ...SHAPES[shape](header), ...fields };
		const usual = { utf8: TEXT, hex: HEX, base64: signs.idHeader ? WHSEC : BASE64 };
		return {
			name,
			signs,
			secret: secret ?? usual[signs.secretEncoding ?? 'utf8'],
			beside: Object.fromEntries(beside),
		};
	});
}

/** Those whose deliveries are recognised. */
export const recognised = read('recognised');

/** Those whose scheme has to be entered. */
export const described = read('described');
