import {
	BASE64,
	BODY_ALONE,
	LIST,
	STANDARD,
	STRIPE,
	WHSEC,
	type BodySender,
	type SurveyedSender,
} from './senderShapes';

const WBHK = 'the table of providers of wbhk.my';
const VERIFY = 'SlopMaster2/webhook-verify';
const CATALOGUE = 'the list of providers of webhooks.cc';
const RECEIVERS = 'several public receivers, which agree';

const OTHER_HEX = 'ab'.repeat(32);

/** By the body alone with HMAC-SHA256 in hex. */
const PLAIN: BodySender[] = [
	['iDenfy', 'idenfy-signature', RECEIVERS],
	['Middesk', 'x-middesk-signature-256', 'docs.middesk.com/build/secure-webhooks'],
	['Trulioo', 'x-trulioo-signature', 'developer.trulioo.com/reference/hmac'],
	['ComplyCube', 'complycube-signature', 'docs.complycube.com, webhooks'],
	['Checkr', 'x-checkr-signature', 'NangoHQ/nango'],
	['Yousign', 'x-yousign-signature-256', CATALOGUE, 'sha256='],
	['Coinbase Commerce', 'x-cc-webhook-signature', 'docs.cdp.coinbase.com/commerce'],
	['Coinify', 'x-coinify-webhook-signature', 'coinify.readme.io/docs/webhook-signature'],
	['Razorpay', 'x-razorpay-signature', VERIFY],
	['Ramp', 'x-ramp-signature', 'docs.ramp.com/developer-api/v1/webhooks'],
	['Mollie', 'x-mollie-signature', 'hookdeck/webhook-skills', 'sha256='],
	['Marqeta', 'x-marqeta-signature', 'marqeta.com/developer-guides/signature-verification'],
	['Lightspark UMAaS', 'x-umaas-signature', 'lightsparkdev/umaaas-api'],
];

/** The same in base64. */
const PLAIN_BASE64: BodySender[] = [
	['BVNK', 'x-signature', 'docs.bvnk.com/docs/validating-fiat-webhooks'],
	['Yuno', 'x-hmac-signature', 'docs.y.uno/docs/verify-webhook-signatures-hmac'],
	['Intuit', 'intuit-signature', WBHK],
	['Flutterwave', 'flutterwave-signature', RECEIVERS],
	['BILL', 'x-bill-sha-signature', CATALOGUE],
	['Heron Data', 'heron-signature', 'heron-data/docs'],
	['Primer', 'x-signature-primary', WBHK],
];

/** Registries, identity, compliance, banks and payments. */
export const furtherFinanceSenders: SurveyedSender[] = [
	...PLAIN.map(BODY_ALONE()),
	...PLAIN_BASE64.map(BODY_ALONE({ encoding: 'base64' })),
	{
		name: 'Sumsub',
		signs: { header: 'x-payload-digest' },
		beside: { 'x-payload-digest-alg': 'HMAC_SHA256_HEX' },
		source: RECEIVERS,
	},
	{
		name: 'Didit',
		signs: { header: 'x-signature' },
		beside: {
			'x-signature-v2': OTHER_HEX,
			'x-signature-simple': OTHER_HEX,
			'x-timestamp': '1700000000',
		},
		source: 'docs.didit.me/integration/webhooks',
	},
	{
		name: 'ComplyAdvantage',
		signs: STANDARD('webhook'),
		secret: BASE64,
		source: 'a public receiver',
	},
	{
		name: 'Signable',
		signs: { header: 'signature', encoding: 'base64' },
		beside: { 'x-signable-webhook': '1700000000' },
		source: 'developers.signable.app/early-access/ea-signed-webhooks',
	},
	{
		name: 'SignatureAPI',
		signs: STANDARD('webhook'),
		secret: WHSEC,
		source: 'signatureapi.com/docs/api/guides/how-to/verify-webhooks',
	},
	{
		name: 'Cashfree',
		signs: {
			header: 'x-webhook-signature',
			timestampHeader: 'x-webhook-timestamp',
			content: '{timestamp}{body}',
			encoding: 'base64',
		},
		source: 'cashfree.com/docs/api-reference/webhooks/payloads-and-signatures',
	},
	{
		name: 'TabaPay',
		signs: LIST('x-hmac-signature', `t={timestamp},v1={signature},v2=${OTHER_HEX}`),
		source: 'developers.tabapay.com/reference/webhook-signature-headers',
	},
	{
		name: 'Zoho Payments',
		signs: LIST('x-zoho-webhook-signature', 't={timestamp},v={signature}', {
			timeFormat: 'milliseconds',
		}),
		source: 'zoho.com/in/payments/developerdocs/webhooks/verification',
	},
	{
		name: 'MoonPay',
		signs: LIST('moonpay-signature-v2', 't={timestamp},s={signature}'),
		source: 'dev.moonpay.com/api-reference/widget/webhooks/signature',
	},
	{
		name: 'Increase',
		signs: LIST('increase-webhook-signature', STRIPE, { timeFormat: 'iso' }),
		secret: WHSEC,
		source: 'formancehq/payments, and the tests of its own libraries',
	},
	{
		name: 'Mercury',
		signs: LIST('mercury-signature', STRIPE, { secretEncoding: 'base64' }),
		secret: BASE64,
		source: 'docs.mercury.com/reference/webhooks',
	},
	{ name: 'Fintoc', signs: LIST('fintoc-signature', STRIPE), source: VERIFY },
	{
		name: 'Paddle',
		signs: LIST('paddle-signature', 'ts={timestamp};h1={signature}', {
			content: '{timestamp}:{body}',
		}),
		source: 'hookdeck/webhook-skills',
	},
	{
		name: 'RevenueCat',
		signs: LIST('x-revenuecat-webhook-signature', STRIPE),
		source: 'revenuecat.com/docs/integrations/webhooks',
	},
	{
		name: 'Perly Pay',
		signs: LIST('perly-signature', STRIPE),
		secret: WHSEC,
		source: 'volodymyrslipak/perly-pay-mcp',
	},
	{
		name: 'Affirm',
		signs: LIST('x-affirm-signature', 't={timestamp},v0={signature}', { algorithm: 'sha512' }),
		source: WBHK,
	},
	{
		name: 'Paystack',
		signs: { header: 'x-paystack-signature', algorithm: 'sha512' },
		source: VERIFY,
	},
	{
		name: 'Lithic',
		signs: STANDARD('webhook'),
		secret: WHSEC,
		source: 'hookdeck/webhook-skills',
	},
	{
		name: 'Whop',
		signs: STANDARD('webhook'),
		secret: WHSEC,
		source: 'docs.whop.com/api-reference',
	},
	{
		name: 'Polar',
		signs: STANDARD('webhook', { secretEncoding: 'utf8' }),
		secret: 'polar_whs_0123456789abcdefABCDEF',
		source: WBHK,
	},

	{
		name: 'Square',
		signs: {
			header: 'x-square-hmacsha256-signature',
			encoding: 'base64',
			content: '{url}{body}',
		},
		custom: {
			header: 'X-Square-HmacSha256-Signature',
			encoding: 'base64',
			content: '{URL}{body}',
		},
		source: VERIFY,
	},
	{
		name: 'Tatum',
		signs: { header: 'x-payload-hash', algorithm: 'sha512', encoding: 'base64' },
		source: 'docs.tatum.io/docs/authenticating-notification-webhooks',
	},
	{
		name: 'QI Tech',
		signs: { header: 'signature', algorithm: 'sha1', content: '{url}POST{body}' },
		custom: { header: 'Signature', algorithm: 'sha1', content: '{URL}POST{body}' },
		source: 'docs.qitech.com.br/en/documentation/caas/account_monitoring/webhook',
	},
];
