import '@shopify/shopify-api/adapters/node';

import { createHmac } from 'node:crypto';

import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { sign as signAsGitHub, verify as verifyAsGitHub } from '@octokit/webhooks-methods';
import { ApiVersion, shopifyApi } from '@shopify/shopify-api';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';

import type { CustomScheme } from '../../nodes/CompanyRegistry/trigger/signatures/customScheme';

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
	/** The same scheme in the words of the trigger's custom signature, where these can express it. */
	custom?: Partial<CustomScheme>;
}

function standard(
	vendor: string,
	library: new (secret: string) => Pick<StandardWebhook, 'sign' | 'verify'>,
): RealSender {
	return {
		signatureHeader: `${vendor}-signature`,
		prefix: 'v1,',
		signs: { time: true, id: true },
		headers: async ({ secret, id, timestamp, body }) => ({
			[`${vendor}-id`]: id,
			[`${vendor}-timestamp`]: String(timestamp),
			[`${vendor}-signature`]: new library(secret).sign(id, new Date(timestamp * 1000), body),
		}),
		confirm: async ({ secret, body }, headers) => void new library(secret).verify(body, headers),
		custom: {
			header: `${vendor}-Signature`,
			encoding: 'base64',
			prefix: 'v1,',
			content: '{id}.{timestamp}.{body}',
			timestampHeader: `${vendor}-Timestamp`,
			idHeader: `${vendor}-Id`,
			secretEncoding: 'base64',
		},
	};
}

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
	custom: { header: 'X-Hub-Signature-256', prefix: 'sha256=' },
};

/** The library only verifies; the recipe is that of Shopify's documentation. */
const shopify: RealSender = {
	signatureHeader: 'x-shopify-hmac-sha256',
	prefix: '',
	signs: { time: false, id: false },
	headers: async ({ secret, id, body }) => ({
		'x-shopify-event-id': id,
		'x-shopify-webhook-id': id,
		'x-shopify-topic': 'orders/create',
		'x-shopify-api-version': ApiVersion.July25,
		'x-shopify-shop-domain': 'shop.example.com',
		'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
	}),
	confirm: async ({ secret, body }, headers) => {
		const { webhooks } = shopifyApi({
			apiKey: 'not used',
			apiSecretKey: secret,
			apiVersion: ApiVersion.July25,
			hostName: 'app.example.com',
			isEmbeddedApp: false,
			logger: { log: () => undefined },
		});
		const rawRequest = { method: 'POST', url: '/', headers };
		const { valid } = await webhooks.validate({ rawBody: body, rawRequest, rawResponse: {} });
		if (!valid) throw new Error('Refused');
	},
	custom: { header: 'X-Shopify-Hmac-SHA256', encoding: 'base64' },
};

/** The library only verifies; the recipe is that of Linear's documentation. */
const linear: RealSender = {
	signatureHeader: 'linear-signature',
	prefix: '',
	signs: { time: false, id: false },
	headers: async ({ secret, id, body }) => ({
		'linear-delivery': id,
		'linear-event': 'Issue',
		'linear-signature': createHmac('sha256', secret).update(body).digest('hex'),
	}),
	confirm: async ({ secret, body }, headers) => {
		new LinearWebhookClient(secret).verify(Buffer.from(body), headers['linear-signature']);
	},
	custom: { header: 'Linear-Signature' },
};

export const realSenders: Record<string, RealSender> = {
	'Standard Webhooks': standard('webhook', StandardWebhook),
	Svix: standard('svix', SvixWebhook),
	Stripe: stripe,
	GitHub: github,
	Shopify: shopify,
	Linear: linear,
};
