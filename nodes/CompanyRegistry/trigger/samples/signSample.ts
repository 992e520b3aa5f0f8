import { createHmac } from 'crypto';

import type { CustomScheme } from '../signatures/customScheme';
import { keyIn } from '../signatures/keys';
import { parseContent } from '../signatures/signedContent';

/** What a sample's headers and signature are made of. */
export interface SampleToSign {
	body: string;
	secret: string;
	id: string;
	/** Unix time in seconds. */
	time: number;
	/** Where it is delivered to. */
	url: string;
}

/** As Standard Webhooks describes it. */
const STANDARD_WEBHOOKS: CustomScheme = {
	header: 'webhook-signature',
	prefix: 'v1,',
	algorithm: 'sha256',
	encoding: 'base64',
	content: '{id}.{timestamp}.{body}',
	timestampHeader: 'webhook-timestamp',
	idHeader: 'webhook-id',
	secretEncoding: 'base64',
};

/** Headers of a delivery that is signed as the node expects: in its custom scheme if it has one. */
export function signSample(
	{ body, secret, id, time, url }: SampleToSign,
	scheme: CustomScheme = STANDARD_WEBHOOKS,
): Record<string, string> {
	const values: Record<string, string> = {
		'{body}': body,
		'{id}': id,
		'{timestamp}': String(time),
		'{url}': url,
	};
	const content = parseContent(scheme.content).map((piece) => values[piece] ?? piece);
	const { text = '', encoding } = keyIn(secret, scheme.secretEncoding) ?? { encoding: 'utf8' };
	const signature = createHmac(scheme.algorithm, Buffer.from(text, encoding))
		.update(content.join(''))
		.digest(scheme.encoding);
	const header = (scheme.headerFormat ?? '').replace(
		/\{(?:signature|timestamp|id)\}/gi,
		(placeholder) => ({ ...values, '{signature}': signature })[placeholder.toLowerCase()] ?? '',
	);
	return {
		...(scheme.timestampHeader ? { [scheme.timestampHeader]: String(time) } : {}),
		...(scheme.idHeader ? { [scheme.idHeader]: id } : {}),
		[scheme.header]: header || `${scheme.prefix}${signature}`,
	};
}
