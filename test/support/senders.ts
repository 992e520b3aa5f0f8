import type { CustomScheme as SignedScheme } from '../simulator/signing';

/** A sender of webhooks and how it signs, by its own documentation or public tables of such. */
export interface Sender {
	name: string;
	/** How it signs, in the words of the stand-in. */
	signs: SignedScheme;
	/** What its secrets look like. */
	secret: string;
	/** Other headers of its that look like parts of a signature and are none, or are of another. */
	beside: Record<string, string>;
}

export const TEXT = 'a secret of tests, as text';
export const BASE64 = Buffer.from('a secret of tests, as bytes').toString('base64');
export const HEX = Buffer.from('a secret of tests, as bytes').toString('hex');
const WHSEC = `whsec_${BASE64}`;

/** The usual ways to sign: over the body; a time in a header of its own; in the same; https://www.standardwebhooks.com. */
const SHAPES: Record<string, (name: string) => SignedScheme> = {
	body: (header) => ({ header }),
	timed: (header) => ({
		header,
		timestampHeader: header.replace('signature', 'timestamp'),
		content: '{timestamp}.{body}',
	}),
	list: (header) => ({
		header,
		headerFormat: 't={timestamp},v1={signature}',
		content: '{timestamp}.{body}',
	}),
	standard: (family) => ({
		header: `${family}-signature`,
		idHeader: `${family}-id`,
		timestampHeader: `${family}-timestamp`,
		prefix: 'v1,',
		encoding: 'base64',
		content: '{id}.{timestamp}.{body}',
		secretEncoding: 'base64',
	}),
};

/**
 * Reads a table of senders, a line each: name, shape, header (or its family), what else is to be said, and
 * where that was read: a public address or repository; nowhere for the 76 that this package was built after.
 * What else: fields of the scheme, `secret`, and with a plus headers that stand beside.
 */
function read(table: string): Sender[] {
	const lines = table.split('\n').filter((line) => line !== '');
	return lines.map((line) => {
		const [name, shape, header, further = ''] = line.split(' | ');
		const said = further.split('; ').map((pair) => {
			const [key, ...value] = pair.split('=');
			const text = value.join('=').replace('{hex}', 'ab'.repeat(32));
			return [key, text.replace('{base64}', BASE64).replace('{whsec}', WHSEC)] as const;
		});
		const isBeside = ([key]: readonly [string, string]) => key.startsWith('+');
		const rest = Object.fromEntries(said.filter((one) => one[0] !== '' && !isBeside(one)));
		const beside = said.filter(isBeside).map(([key, value]) => [key.slice(1), value]);
		const { secret, ...fields } = rest;
		const signs: SignedScheme = { ...SHAPES[shape](header), ...fields };
		const usual = { utf8: TEXT, hex: HEX, base64: signs.idHeader ? WHSEC : BASE64 };
		return {
			name,
			signs,
			secret: secret ?? usual[signs.secretEncoding ?? 'utf8'],
			beside: Object.fromEntries(beside),
		};
	});
}

/** Those whose deliveries are recognised. */
export const recognised = read(`
Entylink | body | x-entylink-signature
Onfido | body | x-sha2-signature
Veriff | body | x-hmac-signature
VerifiMe | body | x-verifime-signature
GoCardless | body | webhook-signature
Checkout.com | body | cko-signature
Dwolla | body | x-request-signature-sha-256
Modern Treasury | body | x-signature
BitGo | body | x-signature-sha256
Chargify | body | x-chargify-webhook-signature-hmac-sha-256
Dropbox | body | x-dropbox-signature
Lemon Squeezy | body | x-signature
Greenhouse | body | signature
Notion | body | x-notion-signature
Pusher | body | x-pusher-signature
ClickUp | body | x-signature
Katana | body | x-sha2-signature
Adyen | body | hmacsignature | encoding=base64; secretEncoding=hex
Argyle | body | x-argyle-signature | algorithm=sha512
Authorize.Net | body | x-anet-signature | prefix=sha512=; algorithm=sha512; secretEncoding=hex
Worldpay | body | event-signature | prefix=key-1/SHA256/
CentryOS | body | signature | algorithm=sha512
Xero | body | x-xero-signature | encoding=base64
Bolt | body | x-bolt-hmac-sha256 | encoding=base64
Shopify | body | x-shopify-hmac-sha256 | encoding=base64
Typeform | body | typeform-signature | prefix=sha256=; encoding=base64
DocuSign | body | x-docusign-signature-1 | encoding=base64
PagerDuty | body | x-pagerduty-signature | prefix=v1=
Tally | body | tally-signature | encoding=base64
Meta | body | x-hub-signature-256 | prefix=sha256=
CircleCI | body | circleci-signature | prefix=v1=
FastSpring | body | x-fs-signature | encoding=base64
Heroku | body | heroku-webhook-hmac-sha256 | encoding=base64
Clicksign | body | content-hmac | prefix=sha256=
HiBob | body | bob-signature | algorithm=sha512; encoding=base64
Onfleet | body | x-onfleet-signature | algorithm=sha512; secretEncoding=hex
iDenfy | body | idenfy-signature |  | several public receivers, which agree
Middesk | body | x-middesk-signature-256 |  | docs.middesk.com/build/secure-webhooks
Trulioo | body | x-trulioo-signature |  | developer.trulioo.com/reference/hmac
ComplyCube | body | complycube-signature |  | docs.complycube.com, webhooks
Checkr | body | x-checkr-signature |  | NangoHQ/nango
Yousign | body | x-yousign-signature-256 | prefix=sha256= | the list of providers of webhooks.cc
Coinbase Commerce | body | x-cc-webhook-signature |  | docs.cdp.coinbase.com/commerce
Coinify | body | x-coinify-webhook-signature |  | coinify.readme.io/docs/webhook-signature
Razorpay | body | x-razorpay-signature |  | SlopMaster2/webhook-verify
Ramp | body | x-ramp-signature |  | docs.ramp.com/developer-api/v1/webhooks
Mollie | body | x-mollie-signature | prefix=sha256= | hookdeck/webhook-skills
Marqeta | body | x-marqeta-signature |  | marqeta.com/developer-guides/signature-verification
Lightspark UMAaS | body | x-umaas-signature |  | lightsparkdev/umaaas-api
BVNK | body | x-signature | encoding=base64 | docs.bvnk.com/docs/validating-fiat-webhooks
Yuno | body | x-hmac-signature | encoding=base64 | docs.y.uno/docs/verify-webhook-signatures-hmac
Intuit | body | intuit-signature | encoding=base64 | the table of providers of wbhk.my
Flutterwave | body | flutterwave-signature | encoding=base64 | several public receivers, which agree
BILL | body | x-bill-sha-signature | encoding=base64 | the list of providers of webhooks.cc
Heron Data | body | heron-signature | encoding=base64 | heron-data/docs
Primer | body | x-signature-primary | encoding=base64 | the table of providers of wbhk.my
Sumsub | body | x-payload-digest | +x-payload-digest-alg=HMAC_SHA256_HEX | several public receivers, which agree
Didit | body | x-signature | +x-signature-v2={hex}; +x-signature-simple={hex}; +x-timestamp=1700000000 | docs.didit.me/integration/webhooks
Signable | body | signature | encoding=base64; +x-signable-webhook=1700000000 | developers.signable.app/early-access/ea-signed-webhooks
Paystack | body | x-paystack-signature | algorithm=sha512 | SlopMaster2/webhook-verify
Tatum | body | x-payload-hash | algorithm=sha512; encoding=base64 | docs.tatum.io/docs/authenticating-notification-webhooks
Ashby | body | ashby-signature | prefix=sha256= | simstudioai/sim
Attio | body | attio-signature |  | simstudioai/sim
Cal.com | body | x-cal-signature-256 |  | simstudioai/sim
Circleback | body | x-signature |  | simstudioai/sim
Fireflies | body | x-hub-signature | prefix=sha256= | simstudioai/sim
Jira | body | x-hub-signature | prefix=sha256= | simstudioai/sim
Linear | body | linear-signature |  | simstudioai/sim
Cursor | body | x-webhook-signature | prefix=sha256= | hookdeck/webhook-skills
Bitbucket | body | x-hub-signature | prefix=sha256= | SlopMaster2/webhook-verify
LaunchDarkly | body | x-ld-signature |  | SlopMaster2/webhook-verify
Nylas | body | x-nylas-signature |  | SlopMaster2/webhook-verify
npm | body | x-npm-signature | prefix=sha256= | the table of providers of wbhk.my
Dub | body | dub-signature |  | the table of providers of wbhk.my
Asana | body | x-hook-signature |  | the table of providers of wbhk.my
Snyk | body | x-hub-signature | prefix=sha256= | docs.snyk.io, webhooks
SavvyCal | body | x-savvycal-signature | prefix=sha256= | savvycal.com/docs/api/webhooks
Jobber | body | x-jobber-hmac-sha256 | encoding=base64 | NangoHQ/nango
Hookdeck | body | x-hookdeck-signature | encoding=base64 | hookdeck/webhook-skills
WooCommerce | body | x-wc-webhook-signature | encoding=base64 | hookdeck/webhook-skills
AfterShip | body | aftership-hmac-sha256 | encoding=base64 | aftership.com/docs/tracking/webhook
LINE | body | x-line-signature | encoding=base64 | SlopMaster2/webhook-verify
X | body | x-twitter-webhooks-signature | prefix=sha256=; encoding=base64 | SlopMaster2/webhook-verify
Commerce Layer | body | x-commercelayer-signature | encoding=base64 | docs.commercelayer.io/core/callbacks-security
Acuity | body | x-acuity-signature | encoding=base64 | developers.acuityscheduling.com/docs/webhooks
Ably | body | x-ably-signature | encoding=base64 | the table of providers of wbhk.my
GitHub | body | x-hub-signature-256 | prefix=sha256=; +x-hub-signature=sha1=abababababababababababababababababababab | hookdeck/webhook-skills
Sentry | body | sentry-hook-signature | +sentry-hook-timestamp=1700000000 | simstudioai/sim
Squarespace | body | squarespace-signature | secretEncoding=hex | the table of providers of wbhk.my
Airtable | body | x-airtable-content-mac | prefix=hmac-sha256=; secretEncoding=base64 | the table of providers of wbhk.my

Airwallex | timed | x-signature | content={timestamp}{body}; timeFormat=milliseconds
Method | timed | method-webhook-signature | content={timestamp}:{body}
Lob | timed | lob-signature | timestampHeader=lob-signature-timestamp; timeFormat=milliseconds
Zoom | timed | x-zm-signature | timestampHeader=x-zm-request-timestamp; content=v0:{timestamp}:{body}; prefix=v0=
Zendesk | timed | x-zendesk-webhook-signature | timestampHeader=x-zendesk-webhook-signature-timestamp; content={timestamp}{body}; encoding=base64; timeFormat=iso
Chatwoot | timed | x-chatwoot-signature | prefix=sha256=
Xobni | timed | x-xobni-signature
pyannote | timed | x-signature | timestampHeader=x-request-timestamp; content=v0:{timestamp}:{body}
Cashfree | timed | x-webhook-signature | content={timestamp}{body}; encoding=base64 | cashfree.com/docs/api-reference/webhooks/payloads-and-signatures
Subtotal | timed | x-subtotal-signature |  | subtotal.com/docs/webhooks/verifying-signatures
Emailit | timed | x-emailit-signature |  | emailit.com/docs/webhooks/request-signature
CodoSEO | timed | x-codoseo-signature |  | docs.rs/codoseo-notify
Airship | timed | x-ua-signature | content={timestamp}:{body} | the table of providers of wbhk.my
Customer.io | timed | x-cio-signature | content=v0:{timestamp}:{body} | the table of providers of wbhk.my
Slack | timed | x-slack-signature | timestampHeader=x-slack-request-timestamp; content=v0:{timestamp}:{body}; prefix=v0= | simstudioai/sim
Webflow | timed | x-webflow-signature | content={timestamp}:{body}; timeFormat=milliseconds | hookdeck/webhook-skills
Front | timed | x-front-signature | timestampHeader=x-front-request-timestamp; content={timestamp}:{body}; encoding=base64; timeFormat=milliseconds | the table of providers of wbhk.my
Daily | timed | x-webhook-signature | encoding=base64; secretEncoding=base64 | docs.daily.co/reference/rest-api/webhooks
Close | timed | close-sig-hash | timestampHeader=close-sig-timestamp; content={timestamp}{body}; secretEncoding=hex | developer.close.com/topics/webhooks

Qonto | list | x-qonto-signature
Syntage | list | x-satws-signature | headerFormat=t={timestamp},s={signature}
Persona | list | persona-signature
Kayle ID | list | x-kayle-signature
Stripe | list | stripe-signature | secret={whsec}
Recurly | list | recurly-signature | headerFormat={timestamp},{signature}; timeFormat=milliseconds
Sanity | list | sanity-webhook-signature | encoding=base64url; timeFormat=milliseconds
Calendly | list | calendly-webhook-signature
Shippo | list | shippo-auth-signature
TikTok | list | tiktok-signature | headerFormat=t={timestamp},s={signature}
Mailchimp | list | x-mailchimp-signature
Dixa | list | x-dixa-signature | timeFormat=milliseconds; secretEncoding=hex
TabaPay | list | x-hmac-signature | headerFormat=t={timestamp},v1={signature},v2=abababababababababababababababababababababababababababababababab | developers.tabapay.com/reference/webhook-signature-headers
Zoho Payments | list | x-zoho-webhook-signature | headerFormat=t={timestamp},v={signature}; timeFormat=milliseconds | zoho.com/in/payments/developerdocs/webhooks/verification
MoonPay | list | moonpay-signature-v2 | headerFormat=t={timestamp},s={signature} | dev.moonpay.com/api-reference/widget/webhooks/signature
Increase | list | increase-webhook-signature | timeFormat=iso; secret={whsec} | formancehq/payments, and the tests of its own libraries
Mercury | list | mercury-signature | secretEncoding=base64 | docs.mercury.com/reference/webhooks
Fintoc | list | fintoc-signature |  | SlopMaster2/webhook-verify
Paddle | list | paddle-signature | headerFormat=ts={timestamp};h1={signature}; content={timestamp}:{body} | hookdeck/webhook-skills
RevenueCat | list | x-revenuecat-webhook-signature |  | revenuecat.com/docs/integrations/webhooks
Perly Pay | list | perly-signature | secret={whsec} | volodymyrslipak/perly-pay-mcp
Affirm | list | x-affirm-signature | headerFormat=t={timestamp},v0={signature}; algorithm=sha512 | the table of providers of wbhk.my
Mux | list | mux-signature |  | SlopMaster2/webhook-verify
Tailscale | list | tailscale-webhook-signature |  | SlopMaster2/webhook-verify
Whereby | list | whereby-signature |  | docs.whereby.com, webhooks
Rerout | list | x-rerout-signature |  | docs.rs/rerout
ElevenLabs | list | elevenlabs-signature | headerFormat=t={timestamp},v0={signature} | hookdeck/webhook-skills
WorkOS | list | workos-signature | headerFormat=t={timestamp}, v1={signature}; timeFormat=milliseconds | SlopMaster2/webhook-verify
Cloudflare Stream | list | webhook-signature | headerFormat=time={timestamp},sig1={signature} | SlopMaster2/webhook-verify
Buildkite | list | x-buildkite-signature | headerFormat=timestamp={timestamp},signature={signature} | buildkite.com/docs/apis/webhooks/pipelines
Rootly | list | x-rootly-signature | content={timestamp}{body} | simstudioai/sim

OpenRegister | standard | svix
Kausate | standard | kausate-webhook | secret=k{whsec}
Brex | standard | webhook | secret={base64}
Slash | standard | x-webhook | prefix=v1=; encoding=hex
GitLab | standard | webhook
Svix | standard | svix
ComplyAdvantage | standard | webhook | secret={base64} | a public receiver
SignatureAPI | standard | webhook |  | signatureapi.com/docs/api/guides/how-to/verify-webhooks
Lithic | standard | webhook |  | hookdeck/webhook-skills
Whop | standard | webhook |  | docs.whop.com/api-reference
Polar | standard | webhook | secretEncoding=utf8; secret=polar_whs_0123456789abcdefABCDEF | the table of providers of wbhk.my
Granola | standard | webhook |  | simstudioai/sim
incident.io | standard | webhook |  | simstudioai/sim
Linq | standard | webhook |  | simstudioai/sim
Loops | standard | webhook |  | simstudioai/sim
Fathom | standard | webhook |  | NangoHQ/nango
folk | standard | webhook |  | NangoHQ/nango
OpenAI | standard | webhook |  | hookdeck/webhook-skills
Replicate | standard | webhook |  | hookdeck/webhook-skills
Stytch | standard | svix |  | the table of providers of wbhk.my
Supabase | standard | webhook |  | the table of providers of wbhk.my
Render | standard | webhook |  | the table of providers of wbhk.my
Gemini | standard | webhook |  | the table of providers of wbhk.my
Etsy | standard | webhook |  | the table of providers of wbhk.my
Vanta | standard | svix |  | the table of providers of wbhk.my
Recall.ai | standard | webhook |  | docs.recall.ai/docs/authenticating-requests-from-recallai
BigCommerce | standard | webhook |  | the list of providers of webhooks.cc
Sent | standard | x-webhook |  | docs.sent.dm/build/signature-verification
`);

/** Those whose scheme has to be entered. */
export const described = read(`
Unit | body | x-unit-signature | algorithm=sha1; encoding=base64
Intercom | body | x-hub-signature | prefix=sha1=; algorithm=sha1
Trello | body | x-trello-webhook | algorithm=sha1; encoding=base64; content={body}{url}
Vercel | body | x-vercel-signature | algorithm=sha1
Klaviyo | timed | klaviyo-signature | content={body}{timestamp}; timeFormat=http
Crisp | timed | x-crisp-signature | timestampHeader=x-crisp-request-timestamp; content=[{timestamp};{body}]; timeFormat=milliseconds
Sinch | timed | x-sinch-webhook-signature | timestampHeader=x-sinch-webhook-signature-timestamp; content={body}.{id}.{timestamp}; idHeader=x-sinch-webhook-signature-nonce; encoding=base64
MS Teams | body | authorization | prefix=HMAC ; encoding=base64; secretEncoding=base64
Help Scout | body | x-helpscout-signature | algorithm=sha1; encoding=base64
Square | body | x-square-hmacsha256-signature | encoding=base64; content={url}{body} | SlopMaster2/webhook-verify
QI Tech | body | signature | algorithm=sha1; content={url}POST{body} | docs.qitech.com.br/en/documentation/caas/account_monitoring/webhook
Autotask | body | x-hook-signature | encoding=base64; prefix=sha1=; algorithm=sha1 | NangoHQ/nango
JobDiva | body | x-hub-signature | encoding=hex; prefix=sha1=; algorithm=sha1 | NangoHQ/nango
Autodesk | body | x-adsk-signature | encoding=hex; prefix=sha1hash=; algorithm=sha1 | the table of providers of wbhk.my
MongoDB Atlas | body | x-mms-signature | encoding=base64; algorithm=sha1 | the table of providers of wbhk.my
Segment | body | x-signature | encoding=hex; algorithm=sha1 | the table of providers of wbhk.my
Expo | body | expo-signature | encoding=hex; prefix=sha1=; algorithm=sha1 | SlopMaster2/webhook-verify
Webex | body | x-spark-signature | encoding=hex; algorithm=sha1 | several public receivers, which agree
Retell AI | list | x-retell-signature | headerFormat=v={timestamp},d={signature}; content={body}{timestamp}; timeFormat=milliseconds | docs.retellai.com/features/secure-webhook
Box | timed | box-signature-primary | timestampHeader=box-delivery-timestamp; content={body}{timestamp}; encoding=base64; timeFormat=iso; +box-signature-secondary=q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s= | SlopMaster2/webhook-verify
HubSpot | timed | x-hubspot-signature-v3 | timestampHeader=x-hubspot-request-timestamp; content=POST{url}{body}{timestamp}; encoding=base64; timeFormat=milliseconds | SlopMaster2/webhook-verify
LinkedIn | body | x-li-signature | content=hmacsha256={body} | the table of providers of wbhk.my
`);

/** What these sign, or with what, or where they put it, no setting can say. */
export const beyondReach = {
	KYCAID: 'the body as base64',
	'Coinbase CDP': 'the values of headers that another part of the header lists',
	Ripple: 'a digest of the body',
	PandaDoc: 'the signature is in the address',
	Twitch: 'an id and a time with nothing between them: nobody can tell where the id ends',
	Moov: 'a time, a nonce and an id, and not the body',
	MaxMind: "the address's query, and there is no body",
	Dintero: "the callback's address, and not the body",
	'Mercado Pago': "parts of the address and of the headers' values, and not the body",
	'Dropbox Sign': 'two fields of the body; the signature is in the body',
	Mailgun: 'two fields of the body; the signature is in the body',
	Braintree: 'one field of a form, and the key is a digest of the secret',
	OpenPay: 'a part of the body',
	Paymid: 'the body with its fields in another order',
	Twilio: "the address and a form's sorted fields",
	Mandrill: "the address and a form's sorted fields",
	Plivo: "the address, a form's sorted fields and a nonce",
	Contentful: 'the path, and the headers that another header lists',
	'ConnectWise PSA': 'the body, but the key is a digest of a secret that is fetched',
};
