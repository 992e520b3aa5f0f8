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
	/** What the signature covers beside the body. */
	signs: Array<'timestamp' | 'id'>;
	headers(message: Message): Promise<Headers>;
	/** Rejects or throws unless the library takes the delivery for genuine. */
	confirm(message: Message, headers: Headers): Promise<unknown>;
}

const senders: Record<string, RealSender> = {
	'Standard Webhooks': {
		signs: ['timestamp', 'id'],
		headers: async ({ secret, id, timestamp, body }) => ({
			'webhook-id': id,
			'webhook-timestamp': String(timestamp),
			'webhook-signature': new Webhook(secret).sign(id, new Date(timestamp * 1000), body),
		}),
		confirm: async ({ secret, body }, headers) => new Webhook(secret).verify(body, headers),
	},
	Stripe: {
		signs: ['timestamp'],
		headers: async ({ body: payload, ...rest }) => ({
			'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, ...rest }),
		}),
		confirm: async ({ secret, body }, headers) =>
			Stripe.webhooks.constructEvent(body, headers['stripe-signature'], secret),
	},
	GitHub: {
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

it.each(Object.entries(senders))(
	'a delivery as %s signs it is accepted without any setting, as its own library accepts it',
	async (_name, { headers: headersOf, confirm, signs }) => {
		const headers = await headersOf(genuine);
		await confirm(genuine, headers);
		const changed = { ...genuine, body: genuine.body.replace('AA', 'AB') };
		await expect(confirm(changed, headers)).rejects.toThrow();
		const { body, secret, timestamp } = genuine;
		const verify = (text: string) =>
			verifyDelivery(Buffer.from(text), headers, secret, timestamp, { tolerance });
		expect(verify(changed.body)).toEqual(wrong);
		expect(verify(body)).toEqual({
			accepted: true,
			isTimed: signs.includes('timestamp'),
			...(signs.includes('id') ? { signedId: 'msg_1', idNamesDelivery: true } : {}),
		});
	},
);

// The last was made with openssl.
it.each<[string, string, string, number, Headers, Partial<CustomScheme>?]>([
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
