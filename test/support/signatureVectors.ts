import type { CustomScheme } from '../../nodes/CompanyRegistry/trigger/signatures/customScheme';

/** A delivery whose signature was made elsewhere. */
export interface SignatureVector {
	secret: string;
	body: string;
	headers: Record<string, string>;
	/** Name of the header that carries the signature. */
	signature: string;
	/** Unix time in seconds that the signature covers; absent when it covers none. */
	signedAt?: number;
	scheme?: CustomScheme;
}

/** Published by the senders, except those of Stripe, Shopify and the custom scheme: made with openssl. */
export const signatureVectors: Record<string, SignatureVector> = {
	'Standard Webhooks': {
		secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
		body: '{"test": 2432232314}',
		headers: {
			'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
			'webhook-timestamp': '1614265330',
			'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
		},
		signature: 'webhook-signature',
		signedAt: 1614265330,
	},
	Svix: {
		secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl',
		body: '{"event_type":"ping","data":{"success":true}}',
		headers: {
			'svix-id': 'msg_loFOjxBNrRLzqYUf',
			'svix-timestamp': '1731705121',
			'svix-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
		},
		signature: 'svix-signature',
		signedAt: 1731705121,
	},
	GitHub: {
		secret: "It's a Secret to Everybody",
		body: 'Hello, World!',
		headers: {
			'x-hub-signature-256':
				'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
		},
		signature: 'x-hub-signature-256',
	},
	Stripe: {
		secret: 'whsec_test_secret',
		body: '{"object":"event"}',
		headers: {
			'stripe-signature':
				't=1492774577,v1=92cb120e5f070e2f8f09f590928add6a22e06c88deb56e550f4571e633b55eba',
		},
		signature: 'stripe-signature',
		signedAt: 1492774577,
	},
	Shopify: {
		secret: 'hush',
		body: '{"n":1}',
		headers: { 'x-shopify-hmac-sha256': 'GyVdxFSZxCs8l8afU6L8cS+RdwmSv63416MdRbgR8xM=' },
		signature: 'x-shopify-hmac-sha256',
	},
	'a custom scheme': {
		secret: 'hush',
		body: '{"n":1}',
		headers: {
			'x-message-id': 'e76c6bd1',
			'x-message-time': '2019-11-16T10:11:12.634234626Z',
			'x-message-mac':
				'HMAC FYFQZtUIsQkGFLaB4diUeIytIshMnj3ub8Q3mDuIpy2u2GJ2FPWT8jOcYIWxsY7FsaUB9YAwwbll6kRxJTWf2Q==',
		},
		signature: 'x-message-mac',
		signedAt: 1573899072.634,
		scheme: {
			header: 'X-Message-MAC',
			algorithm: 'sha512',
			encoding: 'base64',
			prefix: 'HMAC',
			content: '{ID}.{timestamp}.{body}',
			timestampHeader: 'X-Message-Time',
			idHeader: 'X-Message-ID',
			secretEncoding: 'utf8',
		},
	},
};
