import {
	BASE64,
	BODY_ALONE,
	HEX,
	LIST,
	STANDARD,
	STRIPE,
	TIME_IN_OWN_HEADER,
	WHSEC,
	type BodySender,
	type SurveyedSender,
} from './senderShapes';

const SIM = 'simstudioai/sim';
const NANGO = 'NangoHQ/nango';
const HOOKDECK = 'hookdeck/webhook-skills';
const VERIFY = 'SlopMaster2/webhook-verify';
const WBHK = 'the table of providers of wbhk.my';

const OTHER_BASE64 = Buffer.alloc(32, 0xab).toString('base64');

/** By the body alone with HMAC-SHA256 in hex. */
const PLAIN: BodySender[] = [
	['Ashby', 'ashby-signature', SIM, 'sha256='],
	['Attio', 'attio-signature', SIM],
	['Cal.com', 'x-cal-signature-256', SIM],
	['Circleback', 'x-signature', SIM],
	['Fireflies', 'x-hub-signature', SIM, 'sha256='],
	['Jira', 'x-hub-signature', SIM, 'sha256='],
	['Linear', 'linear-signature', SIM],
	['Cursor', 'x-webhook-signature', HOOKDECK, 'sha256='],
	['Bitbucket', 'x-hub-signature', VERIFY, 'sha256='],
	['LaunchDarkly', 'x-ld-signature', VERIFY],
	['Nylas', 'x-nylas-signature', VERIFY],
	['npm', 'x-npm-signature', WBHK, 'sha256='],
	['Dub', 'dub-signature', WBHK],
	['Asana', 'x-hook-signature', WBHK],
	['Snyk', 'x-hub-signature', 'docs.snyk.io, webhooks', 'sha256='],
	['SavvyCal', 'x-savvycal-signature', 'savvycal.com/docs/api/webhooks', 'sha256='],
];

/** The same in base64. */
const PLAIN_BASE64: BodySender[] = [
	['Jobber', 'x-jobber-hmac-sha256', NANGO],
	['Hookdeck', 'x-hookdeck-signature', HOOKDECK],
	['WooCommerce', 'x-wc-webhook-signature', HOOKDECK],
	['AfterShip', 'aftership-hmac-sha256', 'aftership.com/docs/tracking/webhook'],
	['LINE', 'x-line-signature', VERIFY],
	['X', 'x-twitter-webhooks-signature', VERIFY, 'sha256='],
	['Commerce Layer', 'x-commercelayer-signature', 'docs.commercelayer.io/core/callbacks-security'],
	['Acuity', 'x-acuity-signature', 'developers.acuityscheduling.com/docs/webhooks'],
	['Ably', 'x-ably-signature', WBHK],
];

/** As https://www.standardwebhooks.com has it: name, source and the headers' family. */
const STANDARD_WEBHOOKS: Array<[string, string, string?]> = [
	['Granola', SIM],
	['incident.io', SIM],
	['Linq', SIM],
	['Loops', SIM],
	['Fathom', NANGO],
	['folk', NANGO],
	['OpenAI', HOOKDECK],
	['Replicate', HOOKDECK],
	['Stytch', WBHK, 'svix'],
	['Supabase', WBHK],
	['Render', WBHK],
	['Gemini', WBHK],
	['Etsy', WBHK],
	['Vanta', WBHK, 'svix'],
	['Recall.ai', 'docs.recall.ai/docs/authenticating-requests-from-recallai'],
	['BigCommerce', 'the list of providers of webhooks.cc'],
	['Sent', 'docs.sent.dm/build/signature-verification', 'x-webhook'],
];

/** Those that sign a time beside the signature, as Stripe does: name, header and source. */
const STRIPE_LIKE: Array<[string, string, string]> = [
	['Mux', 'mux-signature', VERIFY],
	['Tailscale', 'tailscale-webhook-signature', VERIFY],
	['Whereby', 'whereby-signature', 'docs.whereby.com, webhooks'],
	['Rerout', 'x-rerout-signature', 'docs.rs/rerout'],
];

/** A time in a header of its own: name, headers' family, source and what is signed. */
const TIME_BESIDE: Array<[string, string, string, string?]> = [
	['Subtotal', 'x-subtotal', 'subtotal.com/docs/webhooks/verifying-signatures'],
	['Emailit', 'x-emailit', 'emailit.com/docs/webhooks/request-signature'],
	['CodoSEO', 'x-codoseo', 'docs.rs/codoseo-notify'],
	['Airship', 'x-ua', WBHK, '{timestamp}:{body}'],
	['Customer.io', 'x-cio', WBHK, 'v0:{timestamp}:{body}'],
];

/** By the body alone with HMAC-SHA1: name, header, encoding, what stands before it and source. */
const SHA1: Array<[string, string, 'hex' | 'base64', string, string]> = [
	['Autotask', 'X-Hook-Signature', 'base64', 'sha1=', NANGO],
	['JobDiva', 'X-Hub-Signature', 'hex', 'sha1=', NANGO],
	['Autodesk', 'X-Adsk-Signature', 'hex', 'sha1hash=', WBHK],
	['MongoDB Atlas', 'X-MMS-Signature', 'base64', '', WBHK],
	['Segment', 'X-Signature', 'hex', '', WBHK],
	['Expo', 'Expo-Signature', 'hex', 'sha1=', VERIFY],
	['Webex', 'X-Spark-Signature', 'hex', '', 'several public receivers, which agree'],
];

/** Everything else: code, offices, shops, mail and speech. */
export const furtherSoftwareSenders: SurveyedSender[] = [
	...PLAIN.map(BODY_ALONE()),
	...PLAIN_BASE64.map(BODY_ALONE({ encoding: 'base64' })),
	...STANDARD_WEBHOOKS.map(([name, source, family = 'webhook']) => ({
		name,
		signs: STANDARD(family),
		secret: WHSEC,
		source,
	})),
	...STRIPE_LIKE.map(([name, header, source]) => ({ name, signs: LIST(header, STRIPE), source })),
	...TIME_BESIDE.map(([name, family, source, content]) => ({
		name,
		signs: TIME_IN_OWN_HEADER(family, content ? { content } : {}),
		source,
	})),
	...SHA1.map(([name, header, encoding, prefix, source]) => ({
		name,
		signs: { header, encoding, prefix, algorithm: 'sha1' as const },
		custom: { header, encoding, prefix, algorithm: 'sha1' as const },
		source,
	})),
	{
		name: 'GitHub',
		signs: { header: 'x-hub-signature-256', prefix: 'sha256=' },
		beside: { 'x-hub-signature': `sha1=${'ab'.repeat(20)}` },
		source: HOOKDECK,
	},
	{
		name: 'Sentry',
		signs: { header: 'sentry-hook-signature' },
		beside: { 'sentry-hook-timestamp': '1700000000' },
		source: SIM,
	},
	{
		name: 'Squarespace',
		signs: { header: 'squarespace-signature', secretEncoding: 'hex' },
		secret: HEX,
		source: WBHK,
	},
	{
		name: 'ElevenLabs',
		signs: LIST('elevenlabs-signature', 't={timestamp},v0={signature}'),
		source: HOOKDECK,
	},
	{
		name: 'WorkOS',
		signs: LIST('workos-signature', 't={timestamp}, v1={signature}', {
			timeFormat: 'milliseconds',
		}),
		source: VERIFY,
	},
	{
		name: 'Cloudflare Stream',
		signs: LIST('webhook-signature', 'time={timestamp},sig1={signature}'),
		source: VERIFY,
	},
	{
		name: 'Buildkite',
		signs: LIST('x-buildkite-signature', 'timestamp={timestamp},signature={signature}'),
		source: 'buildkite.com/docs/apis/webhooks/pipelines',
	},
	{
		name: 'Slack',
		signs: TIME_IN_OWN_HEADER('x-slack', {
			timestampHeader: 'x-slack-request-timestamp',
			prefix: 'v0=',
			content: 'v0:{timestamp}:{body}',
		}),
		source: SIM,
	},
	{
		name: 'Webflow',
		signs: TIME_IN_OWN_HEADER('x-webflow', {
			content: '{timestamp}:{body}',
			timeFormat: 'milliseconds',
		}),
		source: HOOKDECK,
	},
	{
		name: 'Front',
		signs: TIME_IN_OWN_HEADER('x-front', {
			timestampHeader: 'x-front-request-timestamp',
			content: '{timestamp}:{body}',
			encoding: 'base64',
			timeFormat: 'milliseconds',
		}),
		source: WBHK,
	},
	{
		name: 'Daily',
		signs: TIME_IN_OWN_HEADER('x-webhook', { encoding: 'base64', secretEncoding: 'base64' }),
		secret: BASE64,
		source: 'docs.daily.co/reference/rest-api/webhooks',
	},
	{
		name: 'Close',
		signs: {
			header: 'close-sig-hash',
			timestampHeader: 'close-sig-timestamp',
			content: '{timestamp}{body}',
			secretEncoding: 'hex',
		},
		secret: HEX,
		source: 'developer.close.com/topics/webhooks',
	},

	{
		name: 'Airtable',
		signs: {
			header: 'x-airtable-content-mac',
			prefix: 'hmac-sha256=',
			secretEncoding: 'base64',
		},
		secret: BASE64,
		source: WBHK,
	},
	{
		name: 'Rootly',
		signs: LIST('x-rootly-signature', STRIPE, { content: '{timestamp}{body}' }),
		source: SIM,
	},
	{
		name: 'Retell AI',
		signs: LIST('x-retell-signature', 'v={timestamp},d={signature}', {
			content: '{body}{timestamp}',
			timeFormat: 'milliseconds',
		}),
		custom: {
			header: 'X-Retell-Signature',
			headerFormat: 'v={timestamp},d={signature}',
			content: '{body}{timestamp}',
		},
		source: 'docs.retellai.com/features/secure-webhook',
	},
	{
		name: 'Box',
		signs: {
			header: 'box-signature-primary',
			timestampHeader: 'box-delivery-timestamp',
			content: '{body}{timestamp}',
			encoding: 'base64',
			timeFormat: 'iso',
		},
		beside: { 'box-signature-secondary': OTHER_BASE64 },
		custom: {
			header: 'Box-Signature-Primary',
			content: '{body}{timestamp}',
			encoding: 'base64',
			timestampHeader: 'Box-Delivery-Timestamp',
		},
		source: VERIFY,
	},
	{
		name: 'HubSpot',
		signs: {
			header: 'x-hubspot-signature-v3',
			timestampHeader: 'x-hubspot-request-timestamp',
			content: 'POST{url}{body}{timestamp}',
			encoding: 'base64',
			timeFormat: 'milliseconds',
		},
		custom: {
			header: 'X-HubSpot-Signature-v3',
			timestampHeader: 'X-HubSpot-Request-Timestamp',
			content: 'POST{URL}{body}{timestamp}',
			encoding: 'base64',
		},
		source: VERIFY,
	},
	{
		name: 'LinkedIn',
		signs: { header: 'x-li-signature', content: 'hmacsha256={body}' },
		custom: { header: 'X-LI-Signature', content: 'hmacsha256={body}' },
		source: WBHK,
	},
];
