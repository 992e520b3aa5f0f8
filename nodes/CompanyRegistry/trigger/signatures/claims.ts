import { groupBy } from 'lodash';

import type { Digest, SecretEncoding } from './digests';
import { isPlainId, OPEN_TIME, type SignedContent } from './signedContent';

export interface Value {
	text: string;
	header: string;
	/** The text before it in its part of the header; undefined where it is the whole header. */
	label?: string;
}

/** The parts of a signature in the headers, and the contents that it may cover; the likeliest first. */
export interface Found {
	signatures: Array<Digest & { header: string }>;
	contents: readonly SignedContent[];
	/** The ways in which the secret may have become a key. */
	secretEncodings: readonly SecretEncoding[];
	times?: readonly Value[];
	ids?: readonly Value[];
	/** The address delivered to. */
	url?: string;
}

/** The claim that one of these signatures, all of one algorithm, covers this content with this key. */
export interface Claim extends Pick<Found, 'signatures' | 'url'> {
	content: SignedContent;
	secretEncoding: SecretEncoding;
	/** How many keys are more likely. */
	rank: number;
	/** With a time or an id only where the content covers it. */
	time?: Value;
	id?: Value;
}

/** Every way in which one of the contents may have been signed. */
export function* claimsIn(found: Found): Generator<Claim> {
	const { contents, secretEncodings, times = [], ids = [], url } = found;
	// Each algorithm needs an HMAC of its own.
	const groups = Object.values(groupBy(found.signatures, 'algorithm'));
	const plainIds = ids.filter(({ text }) => isPlainId(text));
	const givenTimes = times.filter(({ text }) => text !== '');

	for (const [rank, secretEncoding] of secretEncodings.entries()) {
		for (const content of contents) {
			if (content.includes('{url}') && !url) continue;
			const isIdBehind = content.indexOf('{id}') > content.indexOf('{timestamp}');
			for (const time of content.includes('{timestamp}') ? givenTimes : [undefined]) {
				if (isIdBehind && time && OPEN_TIME.test(time.text)) continue;
				for (const id of content.includes('{id}') ? plainIds : [undefined]) {
					for (const signatures of groups) {
						yield { signatures, content, secretEncoding, rank, time, id, url };
					}
				}
			}
		}
	}
}
