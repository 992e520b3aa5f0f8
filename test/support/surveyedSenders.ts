import {
	BASE64,
	HEX,
	LIST,
	STANDARD,
	STRIPE,
	TIME_IN_OWN_HEADER,
	WHSEC,
	type SurveyedSender,
} from './senderShapes';

/** Those that sign by the body alone with HMAC-SHA256 in hex, and nothing else to say about it. */
const PLAIN: Array<[string, string]> = [
	['Entylink', 'x-entylink-signature'],
	['Onfido', 'x-sha2-signature'],
	['Veriff', 'x-hmac-signature'],
	['VerifiMe', 'x-verifime-signature'],
	['GoCardless', 'webhook-signature'],
	['Checkout.com', 'cko-signature'],
	['Dwolla', 'x-request-signature-sha-256'],
	['Modern Treasury', 'x-signature'],
	['BitGo', 'x-signature-sha256'],
	['Chargify', 'x-chargify-webhook-signature-hmac-sha-256'],
	['Dropbox', 'x-dropbox-signature'],
	['Lemon Squeezy', 'x-signature'],
	['Greenhouse', 'signature'],
	['Notion', 'x-notion-signature'],
	['Pusher', 'x-pusher-signature'],
	['ClickUp', 'x-signature'],
	['Katana', 'x-sha2-signature'],
];

/** Those of 76 surveyed senders that this package can verify, most of them without any setting. */
export const surveyedSenders: SurveyedSender[] = [
	...PLAIN.map(([name, header]) => ({ name, signs: { header } })),
	{ name: 'OpenRegister', signs: STANDARD('svix'), secret: WHSEC },
	{ name: 'Kausate', signs: STANDARD('kausate-webhook'), secret: `k${WHSEC}` },
	{ name: 'Qonto', signs: LIST('x-qonto-signature', STRIPE) },
	{ name: 'Syntage', signs: LIST('x-satws-signature', 't={timestamp},s={signature}') },
	{ name: 'Persona', signs: LIST('persona-signature', STRIPE) },
	{ name: 'Kayle ID', signs: LIST('x-kayle-signature', STRIPE) },
	{ name: 'Stripe', signs: LIST('stripe-signature', STRIPE), secret: WHSEC },
	{
		name: 'Adyen',
		signs: { header: 'hmacsignature', encoding: 'base64', secretEncoding: 'hex' },
		secret: HEX,
	},
	{
		name: 'Airwallex',
		signs: TIME_IN_OWN_HEADER('x', { content: '{timestamp}{body}', timeFormat: 'milliseconds' }),
	},
	{
		name: 'Method',
		signs: TIME_IN_OWN_HEADER('method-webhook', { content: '{timestamp}:{body}' }),
	},
	{
		name: 'Recurly',
		signs: LIST('recurly-signature', '{timestamp},{signature}', { timeFormat: 'milliseconds' }),
	},
	{ name: 'Argyle', signs: { header: 'x-argyle-signature', algorithm: 'sha512' } },
	{
		name: 'Authorize.Net',
		signs: {
			header: 'x-anet-signature',
			prefix: 'sha512=',
			algorithm: 'sha512',
			secretEncoding: 'hex',
		},
		secret: HEX,
	},
	{ name: 'Brex', signs: STANDARD('webhook'), secret: BASE64 },
	{
		name: 'Lob',
		signs: TIME_IN_OWN_HEADER('lob', {
			timestampHeader: 'lob-signature-timestamp',
			timeFormat: 'milliseconds',
		}),
	},
	{ name: 'Worldpay', signs: { header: 'event-signature', prefix: 'key-1/SHA256/' } },
	{
		name: 'Slash',
		signs: STANDARD('x-webhook', { prefix: 'v1=', encoding: 'hex' }),
		secret: WHSEC,
	},
	{ name: 'CentryOS', signs: { header: 'signature', algorithm: 'sha512' } },
	{ name: 'Xero', signs: { header: 'x-xero-signature', encoding: 'base64' } },
	{ name: 'Bolt', signs: { header: 'x-bolt-hmac-sha256', encoding: 'base64' } },
	{ name: 'Shopify', signs: { header: 'x-shopify-hmac-sha256', encoding: 'base64' } },
	{
		name: 'Typeform',
		signs: { header: 'typeform-signature', prefix: 'sha256=', encoding: 'base64' },
	},
	{
		name: 'Zoom',
		signs: TIME_IN_OWN_HEADER('x-zm', {
			timestampHeader: 'x-zm-request-timestamp',
			prefix: 'v0=',
			content: 'v0:{timestamp}:{body}',
		}),
	},
	{
		name: 'Zendesk',
		signs: TIME_IN_OWN_HEADER('x-zendesk-webhook', {
			timestampHeader: 'x-zendesk-webhook-signature-timestamp',
			content: '{timestamp}{body}',
			encoding: 'base64',
			timeFormat: 'iso',
		}),
	},
	{ name: 'DocuSign', signs: { header: 'x-docusign-signature-1', encoding: 'base64' } },
	{
		name: 'Sanity',
		signs: LIST('sanity-webhook-signature', STRIPE, {
			encoding: 'base64url',
			timeFormat: 'milliseconds',
		}),
	},
	{ name: 'PagerDuty', signs: { header: 'x-pagerduty-signature', prefix: 'v1=' } },
	{ name: 'Calendly', signs: LIST('calendly-webhook-signature', STRIPE) },
	{ name: 'Tally', signs: { header: 'tally-signature', encoding: 'base64' } },
	{ name: 'GitLab', signs: STANDARD('webhook'), secret: WHSEC },
	{ name: 'Meta', signs: { header: 'x-hub-signature-256', prefix: 'sha256=' } },
	{ name: 'Chatwoot', signs: TIME_IN_OWN_HEADER('x-chatwoot', { prefix: 'sha256=' }) },
	{ name: 'CircleCI', signs: { header: 'circleci-signature', prefix: 'v1=' } },
	{ name: 'Shippo', signs: LIST('shippo-auth-signature', STRIPE) },
	{ name: 'TikTok', signs: LIST('tiktok-signature', 't={timestamp},s={signature}') },
	{ name: 'FastSpring', signs: { header: 'x-fs-signature', encoding: 'base64' } },
	{ name: 'Heroku', signs: { header: 'heroku-webhook-hmac-sha256', encoding: 'base64' } },
	{ name: 'Clicksign', signs: { header: 'content-hmac', prefix: 'sha256=' } },
	{ name: 'Svix', signs: STANDARD('svix'), secret: WHSEC },
	{ name: 'Mailchimp', signs: LIST('x-mailchimp-signature', STRIPE) },
	{ name: 'Xobni', signs: TIME_IN_OWN_HEADER('x-xobni') },
	{
		name: 'pyannote',
		signs: TIME_IN_OWN_HEADER('x', {
			timestampHeader: 'x-request-timestamp',
			content: 'v0:{timestamp}:{body}',
		}),
	},
	{
		name: 'Dixa',
		signs: LIST('x-dixa-signature', STRIPE, {
			timeFormat: 'milliseconds',
			secretEncoding: 'hex',
		}),
		secret: HEX,
	},
	{ name: 'HiBob', signs: { header: 'bob-signature', algorithm: 'sha512', encoding: 'base64' } },
	{
		name: 'Onfleet',
		signs: { header: 'x-onfleet-signature', algorithm: 'sha512', secretEncoding: 'hex' },
		secret: HEX,
	},

	{
		name: 'Unit',
		signs: { header: 'x-unit-signature', algorithm: 'sha1', encoding: 'base64' },
		custom: { header: 'X-Unit-Signature', algorithm: 'sha1', encoding: 'base64' },
	},
	{
		name: 'Intercom',
		signs: { header: 'x-hub-signature', prefix: 'sha1=', algorithm: 'sha1' },
		custom: { header: 'X-Hub-Signature', prefix: 'sha1=', algorithm: 'sha1' },
	},
	{
		name: 'Trello',
		signs: {
			header: 'x-trello-webhook',
			algorithm: 'sha1',
			encoding: 'base64',
			content: '{body}{url}',
		},
		custom: {
			header: 'X-Trello-Webhook',
			algorithm: 'sha1',
			encoding: 'base64',
			content: '{body}{URL}',
		},
	},
	{
		name: 'Vercel',
		signs: { header: 'x-vercel-signature', algorithm: 'sha1' },
		custom: { header: 'X-Vercel-Signature', algorithm: 'sha1' },
	},
	{
		name: 'Klaviyo',
		signs: TIME_IN_OWN_HEADER('klaviyo', { content: '{body}{timestamp}', timeFormat: 'http' }),
		custom: {
			header: 'Klaviyo-Signature',
			content: '{body}{timestamp}',
			timestampHeader: 'Klaviyo-Timestamp',
		},
	},
	{
		name: 'Crisp',
		signs: TIME_IN_OWN_HEADER('x-crisp', {
			timestampHeader: 'x-crisp-request-timestamp',
			content: '[{timestamp};{body}]',
			timeFormat: 'milliseconds',
		}),
		custom: {
			header: 'X-Crisp-Signature',
			content: '[{timestamp};{body}]',
			timestampHeader: 'X-Crisp-Request-Timestamp',
		},
	},
	{
		name: 'Sinch',
		signs: TIME_IN_OWN_HEADER('x-sinch-webhook', {
			timestampHeader: 'x-sinch-webhook-signature-timestamp',
			idHeader: 'x-sinch-webhook-signature-nonce',
			content: '{body}.{id}.{timestamp}',
			encoding: 'base64',
		}),
		custom: {
			header: 'X-Sinch-Webhook-Signature',
			encoding: 'base64',
			content: '{body}.{id}.{timestamp}',
			timestampHeader: 'X-Sinch-Webhook-Signature-Timestamp',
			idHeader: 'X-Sinch-Webhook-Signature-Nonce',
		},
	},
	{
		name: 'MS Teams',
		signs: {
			header: 'authorization',
			prefix: 'HMAC ',
			encoding: 'base64',
			secretEncoding: 'base64',
		},
		secret: BASE64,
		custom: {
			header: 'Authorization',
			prefix: 'HMAC',
			encoding: 'base64',
			secretEncoding: 'base64',
		},
	},
	{
		name: 'Help Scout',
		signs: { header: 'x-helpscout-signature', algorithm: 'sha1', encoding: 'base64' },
		custom: { header: 'X-HelpScout-Signature', algorithm: 'sha1', encoding: 'base64' },
	},
];

/** What these sign, or where they put it, no setting can say. */
export const beyondReach = {
	KYCAID: 'the body as base64',
	'Coinbase CDP': 'the values of headers that another part of the header lists',
	Ripple: 'a digest of the body',
	PandaDoc: 'the signature is in the address',
	Twitch: 'an id and a time with nothing between them: nobody can tell where the id ends',
};
