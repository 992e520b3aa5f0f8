// Proxies add headers that look like a time, a digest or a signature. A genuine delivery is recognised beside
// them.
import { createHash } from 'node:crypto';

import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { signDelivery } from '../../simulator/signing';
import { BASE64, HEX, recognised, TEXT } from '../../support/senders';

const now = 1_700_000_000;
const body = Buffer.from('{"event":"filing.new","company_number":"00445790"}');
const url = 'https://n8n.example/webhook/1/webhook?ref=0123456789abcdef';
const checksum = (algorithm: string, encoding: 'hex' | 'base64') =>
	createHash(algorithm).update(body).digest(encoding);

/** What well-known proxies, gateways and clouds add, and digests that some services send. */
const ADDED: Record<string, Record<string, string>> = {
	'the time of the request': { 'x-request-time': String(now * 1000 - 1500) },
	'Digest of SHA-256': { digest: `SHA-256=${checksum('sha256', 'base64')}` },
	'Digest of SHA-512': { digest: `SHA-512=${checksum('sha512', 'base64')}` },
	'Content-Digest': {
		'content-digest': `sha-256=:${checksum('sha256', 'base64')}:, sha-512=:${checksum('sha512', 'base64')}:`,
	},
	'a hash of the content': { 'x-content-hash': checksum('sha512', 'hex') },
	Google: { 'x-goog-hash': `crc32c=n03x6A==,md5=${checksum('md5', 'base64')}` },
	Amazon: {
		'x-amz-content-sha256': checksum('sha256', 'hex'),
		'x-amzn-trace-id': 'Root=1-67891233-abcdef012345678912345678',
		'x-amz-date': '20231114T221320Z',
	},
	Vercel: {
		'x-vercel-proxy-signature': `Bearer ${checksum('sha256', 'hex')}`,
		'x-vercel-proxy-signature-ts': String(now - 1),
	},
	Akamai: {
		'x-akamai-g2o-auth-data': `3, 1.2.3.4, 1.2.3.5, ${now}, 123456789.1, nonce`,
		'x-akamai-g2o-auth-sign': checksum('sha256', 'base64'),
	},
	Envoy: { 'x-forwarded-client-cert': `Hash=${checksum('sha256', 'hex')};URI=x` },
	'HTTP message signatures': { 'signature-input': 'sig1=("@method");created=1700000000' },
	'tracing, queues and caches': {
		'cf-ray': '8a',
		traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
		etag: `"${checksum('sha256', 'hex')}"`,
		'content-md5': checksum('md5', 'base64'),
		'x-request-start': `t=${now}123`,
		'x-queue-start': `t=${now}.123`,
	},
	'a signature of SHA-1': { 'x-hub-signature': `sha1=${checksum('sha1', 'hex')}` },
	'an id': { 'x-id': 'abc', 'x-request-id': 'def' },
};

/** As n8n gets them: the proxy's before or behind the sender's. */
const orders = [
	(own: object, added: object) => ({ ...added, ...own }),
	(own: object, added: object) => ({ ...own, ...added, ...own }),
];

it.each(Object.entries(ADDED))('beside %s', (_what, added) => {
	const refused: string[] = [];
	for (const { name, signs, secret, beside } of recognised) {
		for (const key of secret === TEXT ? [TEXT, HEX, BASE64] : [secret]) {
			const signable = { secret: key, body, id: 'e76c6bd1', timestamp: now, url };
			const own = { ...beside, ...signDelivery(signs, signable) };
			for (const order of orders) {
				const verdict = verifyDelivery(body, order(own, added), key, now, { tolerance: 300 });
				if (!verdict.accepted) refused.push(`${name}, secret ${key}`);
			}
		}
	}
	expect(refused).toEqual([]);
});
