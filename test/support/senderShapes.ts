import type { CustomScheme } from '../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import type { CustomScheme as SignedScheme } from '../simulator/signing';

/** A sender of webhooks and how it signs, by its own documentation or public tables of such. */
export interface SurveyedSender {
	name: string;
	/** How it signs, in the words of the stand-in. */
	signs: SignedScheme;
	/** What its secrets look like; plain text unless given. */
	secret?: string;
	/** Other headers of its that look like parts of a signature and are none, or are of another. */
	beside?: Record<string, string>;
	/** Settings that are needed for it; absent where it is recognised without any. */
	custom?: Partial<CustomScheme>;
	/** Where its scheme was read: a public address, or a public repository's name. */
	source?: string;
}

export const TEXT = 'a secret of tests, as text';
export const BASE64 = Buffer.from('a secret of tests, as bytes').toString('base64');
export const HEX = Buffer.from('a secret of tests, as bytes').toString('hex');
export const WHSEC = `whsec_${BASE64}`;
export const STRIPE = 't={timestamp},v1={signature}';

export const TIME_IN_OWN_HEADER = (
	family: string,
	signs: Partial<SignedScheme> = {},
): SignedScheme => ({
	header: `${family}-signature`,
	timestampHeader: `${family}-timestamp`,
	content: '{timestamp}.{body}',
	...signs,
});

export const LIST = (
	header: string,
	headerFormat: string,
	rest: Partial<SignedScheme> = {},
): SignedScheme => ({ header, headerFormat, content: '{timestamp}.{body}', ...rest });

export const STANDARD = (family: string, rest: Partial<SignedScheme> = {}): SignedScheme => ({
	header: `${family}-signature`,
	idHeader: `${family}-id`,
	timestampHeader: `${family}-timestamp`,
	prefix: 'v1,',
	encoding: 'base64',
	content: '{id}.{timestamp}.{body}',
	secretEncoding: 'base64',
	...rest,
});

/** One that signs by the body alone: its name, header, source and what stands before the digest. */
export type BodySender = [name: string, header: string, source: string, prefix?: string];

export const BODY_ALONE =
	(signs: Partial<SignedScheme> = {}) =>
	([name, header, source, prefix]: BodySender): SurveyedSender => ({
		name,
		signs: { header, prefix, ...signs },
		source,
	});
