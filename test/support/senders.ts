import type { CustomScheme as SignedScheme } from '../simulator/signing';

/** A sender of webhooks and how it signs, by its own documentation or public tables of such; one for each way. */
export interface Sender {
	name: string;
	/** How it signs, in the words of the simulator. */
	signs: SignedScheme;
	/** What its secrets look like. */
	secret: string;
	/** Other headers of its that look like parts of a signature and are not, or are of another. */
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
 * where that was read: a public address or repository; nowhere for those that this package was built after.
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
GoCardless | body | webhook-signature
Dwolla | body | x-request-signature-sha-256
Greenhouse | body | signature
Adyen | body | hmacsignature | encoding=base64; secretEncoding=hex
Authorize.Net | body | x-anet-signature | prefix=sha512=; algorithm=sha512; secretEncoding=hex
Worldpay | body | event-signature | prefix=key-1/SHA256/
Bolt | body | x-bolt-hmac-sha256 | encoding=base64
Typeform | body | typeform-signature | prefix=sha256=; encoding=base64
DocuSign | body | x-docusign-signature-1 | encoding=base64
PagerDuty | body | x-pagerduty-signature | prefix=v1=
Clicksign | body | content-hmac | prefix=sha256=
Sumsub | body | x-payload-digest | +x-payload-digest-alg=HMAC_SHA256_HEX | several public receivers, which agree
Didit | body | x-signature | +x-signature-v2={hex}; +x-signature-simple={hex}; +x-timestamp=1700000000 | docs.didit.me/integration/webhooks
Signable | body | signature | encoding=base64; +x-signable-webhook=1700000000 | developers.signable.app/early-access/ea-signed-webhooks
Tatum | body | x-payload-hash | algorithm=sha512; encoding=base64 | docs.tatum.io/docs/authenticating-notification-webhooks
GitHub | body | x-hub-signature-256 | prefix=sha256=; +x-hub-signature=sha1=abababababababababababababababababababab | hookdeck/webhook-skills
Airtable | body | x-airtable-content-mac | prefix=hmac-sha256=; secretEncoding=base64 | the table of providers of wbhk.my

Airwallex | timed | x-signature | content={timestamp}{body}; timeFormat=milliseconds
Lob | timed | lob-signature | timestampHeader=lob-signature-timestamp; timeFormat=milliseconds
Zoom | timed | x-zm-signature | timestampHeader=x-zm-request-timestamp; content=v0:{timestamp}:{body}; prefix=v0=
Zendesk | timed | x-zendesk-webhook-signature | timestampHeader=x-zendesk-webhook-signature-timestamp; content={timestamp}{body}; encoding=base64; timeFormat=iso
Chatwoot | timed | x-chatwoot-signature | prefix=sha256=
Front | timed | x-front-signature | timestampHeader=x-front-request-timestamp; content={timestamp}:{body}; encoding=base64; timeFormat=milliseconds | the table of providers of wbhk.my
Daily | timed | x-webhook-signature | encoding=base64; secretEncoding=base64 | docs.daily.co/reference/rest-api/webhooks
Close | timed | close-sig-hash | timestampHeader=close-sig-timestamp; content={timestamp}{body}; secretEncoding=hex | developer.close.com/topics/webhooks

Stripe | list | stripe-signature | secret={whsec}
Recurly | list | recurly-signature | headerFormat={timestamp},{signature}; timeFormat=milliseconds
Sanity | list | sanity-webhook-signature | encoding=base64url; timeFormat=milliseconds
TabaPay | list | x-hmac-signature | headerFormat=t={timestamp},v1={signature},v2=abababababababababababababababababababababababababababababababab | developers.tabapay.com/reference/webhook-signature-headers
Zoho Payments | list | x-zoho-webhook-signature | headerFormat=t={timestamp},v={signature}; timeFormat=milliseconds | zoho.com/in/payments/developerdocs/webhooks/verification
Increase | list | increase-webhook-signature | timeFormat=iso; secret={whsec} | formancehq/payments, and the tests of its own libraries
Mercury | list | mercury-signature | secretEncoding=base64 | docs.mercury.com/reference/webhooks
Paddle | list | paddle-signature | headerFormat=ts={timestamp};h1={signature}; content={timestamp}:{body} | hookdeck/webhook-skills
Affirm | list | x-affirm-signature | headerFormat=t={timestamp},v0={signature}; algorithm=sha512 | the table of providers of wbhk.my
WorkOS | list | workos-signature | headerFormat=t={timestamp}, v1={signature}; timeFormat=milliseconds | SlopMaster2/webhook-verify
Cloudflare Stream | list | webhook-signature | headerFormat=time={timestamp},sig1={signature} | SlopMaster2/webhook-verify
Buildkite | list | x-buildkite-signature | headerFormat=timestamp={timestamp},signature={signature} | buildkite.com/docs/apis/webhooks/pipelines

OpenRegister | standard | svix
Kausate | standard | kausate-webhook | secret=k{whsec}
Brex | standard | webhook | secret={base64}
Slash | standard | x-webhook | prefix=v1=; encoding=hex
Polar | standard | webhook | secretEncoding=utf8; secret=polar_whs_0123456789abcdefABCDEF | the table of providers of wbhk.my
`);

/** Those whose scheme has to be entered. */
export const described = read(`
Unit | body | x-unit-signature | algorithm=sha1; encoding=base64
Intercom | body | x-hub-signature | prefix=sha1=; algorithm=sha1
Trello | body | x-trello-webhook | algorithm=sha1; encoding=base64; content={body}{url}
Klaviyo | timed | klaviyo-signature | content={body}{timestamp}; timeFormat=http
Crisp | timed | x-crisp-signature | timestampHeader=x-crisp-request-timestamp; content=[{timestamp};{body}]; timeFormat=milliseconds
Sinch | timed | x-sinch-webhook-signature | timestampHeader=x-sinch-webhook-signature-timestamp; content={body}.{id}.{timestamp}; idHeader=x-sinch-webhook-signature-nonce; encoding=base64
MS Teams | body | authorization | prefix=HMAC ; encoding=base64; secretEncoding=base64
Square | body | x-square-hmacsha256-signature | encoding=base64; content={url}{body} | SlopMaster2/webhook-verify
QI Tech | body | signature | algorithm=sha1; content={url}POST{body} | docs.qitech.com.br/en/documentation/caas/account_monitoring/webhook
Autodesk | body | x-adsk-signature | encoding=hex; prefix=sha1hash=; algorithm=sha1 | the table of providers of wbhk.my
Retell AI | list | x-retell-signature | headerFormat=v={timestamp},d={signature}; content={body}{timestamp}; timeFormat=milliseconds | docs.retellai.com/features/secure-webhook
Box | timed | box-signature-primary | timestampHeader=box-delivery-timestamp; content={body}{timestamp}; encoding=base64; timeFormat=iso; +box-signature-secondary=q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s= | SlopMaster2/webhook-verify
HubSpot | timed | x-hubspot-signature-v3 | timestampHeader=x-hubspot-request-timestamp; content=POST{url}{body}{timestamp}; encoding=base64; timeFormat=milliseconds | SlopMaster2/webhook-verify
LinkedIn | body | x-li-signature | content=hmacsha256={body} | the table of providers of wbhk.my
`);
