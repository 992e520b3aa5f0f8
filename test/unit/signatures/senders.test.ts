// Real senders that are recognised, with their own libraries and beside the headers of proxies. Those that need a custom
// scheme are in findScheme.test.ts, forgeries in verifyDelivery.property.test.ts.
import { createHash } from 'node:crypto';

import { sign as signAsGitHub } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';

import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { signDelivery } from '../../simulator/signing';
import { BASE64, HEX, recognised, TEXT } from '../../support/senders';

const now = 1_700_000_000;
const tolerance = 300;
const url = 'https://n8n.example/webhook/1/webhook?ref=0123456789abcdef';
const body = Buffer.from('{"event":"filing.new","n":"00445790","title":"Compte annuel é"}');
const changed = Buffer.from(String(body).replace('00445790', '00445791'));
const checksum = (algorithm: string, encoding: 'hex' | 'base64') =>
	createHash(algorithm).update(body).digest(encoding);

const secret = `whsec_${BASE64}`;
const text = String(body);

const signedTime = { time: { text: String(now) } };
const signedId = { id: { text: 'msg_1' } };
const standard = {
	...{ 'webhook-id': 'msg_1', 'webhook-timestamp': String(now) },
	'webhook-signature': new Webhook(secret).sign('msg_1', new Date(now * 1000), text),
};
const stripe = Stripe.webhooks.generateTestHeaderString({ payload: text, secret, timestamp: now });
const gitHub = signAsGitHub(secret, text);

/** Headers as the library that a sender publishes makes them, and what they prove beside the body. */
it.each<[string, () => Promise<Record<string, string>>, object]>([
	['Standard Webhooks', async () => standard, { ...signedTime, ...signedId }],
	['Stripe', async () => ({ 'stripe-signature': stripe }), signedTime],
	['GitHub', async () => ({ 'x-hub-signature-256': await gitHub }), { time: undefined }],
])('a delivery signed by the library of %s is accepted', async (_name, sign, claim) => {
	const headers = await sign();
	const verify = (rawBody: Buffer) => verifyDelivery({ rawBody, headers, secret, now, tolerance });
	expect(verify(body)).toMatchObject({ accepted: true, claim });
	expect(verify(changed)).toEqual({ accepted: false, reason: 'wrong' });
});

/** What well-known proxies, gateways and clouds add, and digests that some services send. */
const ADDED: Record<string, Record<string, string>> = {
	'the time of the request': { 'x-request-time': String(now * 1000 - 1500) },
	checksums: {
		digest: `SHA-512=${checksum('sha512', 'base64')}`,
		'content-digest': `sha-256=:${checksum('sha256', 'base64')}:, sha-512=:${checksum('sha512', 'base64')}:`,
		'x-content-hash': checksum('sha512', 'hex'),
		'x-hub-signature': `sha1=${checksum('sha1', 'hex')}`,
	},
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
	queues: { 'x-request-start': `t=${now}123`, 'x-queue-start': `t=${now}.123` },
	'all at once': {
		'x-id': 'abc',
		'x-request-time': String(now + 1),
		digest: `SHA-512=${checksum('sha512', 'base64')}`,
		'x-content-hash': checksum('sha512', 'hex'),
		'x-acme-signature-sha512': 'ab'.repeat(64),
	},
};

/** As n8n gets them: the proxy's before or behind the sender's. */
const orders = [
	(own: object, added: object) => ({ ...added, ...own }),
	(own: object, added: object) => ({ ...own, ...added, ...own }),
];

// Proxies add headers that look like a time, a digest or a signature.
it.each(Object.entries(ADDED))('every recognised sender is accepted beside %s', (_what, added) => {
	const refused: string[] = [];
	for (const { name, signs, secret, beside } of recognised) {
		for (const key of secret === TEXT ? [TEXT, HEX, BASE64] : [secret]) {
			const signable = { secret: key, body, id: 'e76c6bd1', timestamp: now, url };
			const own = { ...beside, ...signDelivery(signs, signable) };
			for (const order of orders) {
				const headers = order(own, added);
				const sent = { rawBody: body, headers, secret: key, now, tolerance };
				if (!verifyDelivery(sent).accepted) refused.push(`${name}, secret ${key}`);
			}
		}
	}
	expect(refused).toEqual([]);
});
