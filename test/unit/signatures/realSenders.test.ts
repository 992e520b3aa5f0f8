// Signatures that were made elsewhere: by the libraries of real senders, and in what senders have published.
import { sign as signAsGitHub, verify as verifyAsGitHub } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';

import type { CustomScheme } from '../../../nodes/CompanyRegistry/trigger/signatures/customScheme';
import { verifyDelivery } from '../../../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { PLAIN_SCHEME } from '../../support/plainScheme';

const tolerance = 300;
const wrong = { accepted: false, reason: 'wrong' };
const genuine = {
	secret: `whsec_${Buffer.from('a secret of some tests').toString('base64')}`,
	id: 'msg_1',
	// The libraries look at the clock.
	timestamp: Math.floor(Date.now() / 1000),
	body: '{"event":"filing.new","filing":{"type":"AA","title":"Compte annuel é"}}',
};
type Message = typeof genuine;
type Headers = Record<string, string>;

/** A service that signs what it sends, by its own published library. */
interface RealSender {
	/** The header of the signature, and what else it covers. */
	signature: string;
	signs: Array<'timestamp' | 'id'>;
	headers(message: Message): Promise<Headers>;
	/** Rejects or throws unless the library takes the delivery for genuine. */
	confirm(message: Message, headers: Headers): Promise<unknown>;
}

const senders: Record<string, RealSender> = {
	'Standard Webhooks': {
		signature: 'webhook-signature',
		signs: ['timestamp', 'id'],
		headers: async ({ secret, id, timestamp, body }) => ({
			'webhook-id': id,
			'webhook-timestamp': String(timestamp),
			'webhook-signature': new Webhook(secret).sign(id, new Date(timestamp * 1000), body),
		}),
		confirm: async ({ secret, body }, headers) => new Webhook(secret).verify(body, headers),
	},
	Stripe: {
		signature: 'stripe-signature',
		signs: ['timestamp'],
		headers: async ({ body: payload, ...rest }) => ({
			'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, ...rest }),
		}),
		confirm: async ({ secret, body }, headers) =>
			Stripe.webhooks.constructEvent(body, headers['stripe-signature'], secret),
	},
	GitHub: {
		signature: 'x-hub-signature-256',
		signs: [],
		headers: async ({ secret, id, body }) => ({
			'x-github-delivery': id,
			'x-hub-signature-256': await signAsGitHub(secret, body),
		}),
		confirm: async ({ secret, body }, headers) => {
			if (!(await verifyAsGitHub(secret, body, headers['x-hub-signature-256'])))
				throw new Error('Refused');
		},
	},
};

describe.each(Object.entries(senders))('a delivery as %s signs it', (_name, sender) => {
	const { signature, signs } = sender;
	const verify = (headers: Headers, body = genuine.body, now = genuine.timestamp) =>
		verifyDelivery(Buffer.from(body), headers, genuine.secret, now, { tolerance });

	it('is accepted without any setting, as its own library accepts it', async () => {
		const headers = await sender.headers(genuine);
		await sender.confirm(genuine, headers);
		const changed = { ...genuine, body: genuine.body.replace('AA', 'AB') };
		await expect(sender.confirm(changed, headers)).rejects.toThrow();
		expect(verify(headers)).toEqual({
			accepted: true,
			isTimed: signs.includes('timestamp'),
			...(signs.includes('id') ? { signedId: 'msg_1', idNamesDelivery: true } : {}),
		});
	});

	it.each<[string, string]>([
		['a changed byte', genuine.body.replace('AA', 'AB')],
		['a space at its end', `${genuine.body} `],
		['other spaces', JSON.stringify(JSON.parse(genuine.body), null, 1)],
		['nothing in it', ''],
	])('is refused with a body that has %s', async (_change, body) => {
		expect(verify(await sender.headers(genuine), body)).toEqual(wrong);
	});

	it.each<[string, string, (value: string) => string]>([
		[
			'a digit changed',
			'wrong',
			(value) => value.replace(/.(?=.{9}$)/, (a) => (a === 'a' ? 'b' : 'a')),
		],
		['its end cut off', 'missing', (value) => value.slice(0, -8)],
		['another prefix', 'missing', (value) => value.replace(/v1|sha256/, 'nonce')],
		['nothing in it', 'missing', () => ''],
	])('is refused with a signature that has %s', async (_change, reason, change) => {
		const headers = await sender.headers(genuine);
		const changed = { ...headers, [signature]: change(headers[signature]) };
		expect(verify(changed)).toEqual({ accepted: false, reason });
	});

	it('is refused with another secret, and with another time or id if that is signed', async () => {
		const secret = `whsec_${Buffer.from('x'.repeat(24)).toString('base64')}`;
		expect(verify(await sender.headers({ ...genuine, secret }))).toEqual(wrong);
		const headers = JSON.stringify(await sender.headers(genuine));
		for (const signed of signs) {
			const text = String(genuine[signed]);
			const renewed = headers.replace(
				text,
				text.replace(/.$/, (last) => (last === '1' ? '2' : '1')),
			);
			expect(verify(JSON.parse(renewed))).toEqual(wrong);
		}
	});

	it('is stale outside the tolerance, if it signs a time', async () => {
		const headers = await sender.headers(genuine);
		for (const off of [-tolerance, tolerance, -tolerance - 1, tolerance + 1, -1e9, 1e12, NaN]) {
			const isAccepted = !signs.includes('timestamp') || Math.abs(off) <= tolerance;
			expect(verify(headers, genuine.body, genuine.timestamp + off)).toMatchObject(
				isAccepted ? { accepted: true } : { accepted: false, reason: 'stale', age: off },
			);
		}
	});
});

// The last was made with openssl.
it.each<[string, string, string, number, Headers, Partial<CustomScheme>?]>([
	[
		'Standard Webhooks',
		'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
		'{"test": 2432232314}',
		1614265330,
		{
			'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
			'webhook-timestamp': '1614265330',
			'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
		},
	],
	[
		'Svix',
		'whsec_plJ3nmyCDGBKInavdOK15jsl',
		'{"event_type":"ping","data":{"success":true}}',
		1731705121,
		{
			'svix-id': 'msg_loFOjxBNrRLzqYUf',
			'svix-timestamp': '1731705121',
			'svix-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
		},
	],
	[
		'GitHub',
		"It's a Secret to Everybody",
		'Hello, World!',
		0,
		{
			'x-hub-signature-256':
				'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
		},
	],
	[
		'a custom scheme',
		'hush',
		'{"n":1}',
		1573899072.634,
		{
			'x-message-id': 'e76c6bd1',
			'x-message-time': '2019-11-16T10:11:12.634234626Z',
			'x-message-mac':
				'HMAC FYFQZtUIsQkGFLaB4diUeIytIshMnj3ub8Q3mDuIpy2u2GJ2FPWT8jOcYIWxsY7FsaUB9YAwwbll6kRxJTWf2Q==',
		},
		{
			header: 'X-Message-MAC',
			algorithm: 'sha512',
			encoding: 'base64',
			prefix: 'HMAC',
			content: '{ID}.{timestamp}.{body}',
			timestampHeader: 'X-Message-Time',
			idHeader: 'X-Message-ID',
		},
	],
])('the published example of %s is accepted, and not with another body or secret', (...example) => {
	const [, secret, body, now, headers, described] = example;
	const scheme = described && { ...PLAIN_SCHEME, ...described };
	const verify = (sent: string, withSecret: string) =>
		verifyDelivery(Buffer.from(sent), headers, withSecret, now, { tolerance, scheme });
	expect(verify(body, secret)).toMatchObject({ accepted: true });
	expect(verify(`${body} `, secret)).toEqual(wrong);
	expect(verify(body, secret.replace(/.$/, 'x'))).toEqual(wrong);
	expect(verify(body, '')).toEqual(wrong);
});
