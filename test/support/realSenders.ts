import { sign as signAsGitHub, verify as verifyAsGitHub } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';

export interface Message {
	secret: string;
	id: string;
	/** Unix seconds. */
	timestamp: number;
	body: string;
}

/** A service that signs what it sends, by its own published library. */
export interface RealSender {
	/** Header that carries the signature. */
	signatureHeader: string;
	/** Text before each signature. */
	prefix: string;
	/** Which of them the signature covers. */
	signs: { time: boolean; id: boolean };
	headers(message: Message): Promise<Record<string, string>>;
	/** Rejects or throws unless the library takes the delivery for genuine. */
	confirm(message: Message, headers: Record<string, string>): Promise<void>;
}

const standardWebhooks: RealSender = {
	signatureHeader: 'webhook-signature',
	prefix: 'v1,',
	signs: { time: true, id: true },
	headers: async ({ secret, id, timestamp, body }) => ({
		'webhook-id': id,
		'webhook-timestamp': String(timestamp),
		'webhook-signature': new Webhook(secret).sign(id, new Date(timestamp * 1000), body),
	}),
	confirm: async ({ secret, body }, headers) => void new Webhook(secret).verify(body, headers),
};

const stripe: RealSender = {
	signatureHeader: 'stripe-signature',
	prefix: 'v1=',
	signs: { time: true, id: false },
	headers: async ({ secret, timestamp, body }) => ({
		'stripe-signature': Stripe.webhooks.generateTestHeaderString({
			payload: body,
			secret,
			timestamp,
		}),
	}),
	confirm: async ({ secret, body }, headers) =>
		void Stripe.webhooks.constructEvent(body, headers['stripe-signature'], secret),
};

const github: RealSender = {
	signatureHeader: 'x-hub-signature-256',
	prefix: 'sha256=',
	signs: { time: false, id: false },
	headers: async ({ secret, id, body }) => ({
		'x-github-delivery': id,
		'x-github-event': 'push',
		'x-hub-signature-256': await signAsGitHub(secret, body),
	}),
	confirm: async ({ secret, body }, headers) => {
		if (!(await verifyAsGitHub(secret, body, headers['x-hub-signature-256'])))
			throw new Error('Refused');
	},
};

export const realSenders: Record<string, RealSender> = {
	'Standard Webhooks': standardWebhooks,
	Stripe: stripe,
	GitHub: github,
};
