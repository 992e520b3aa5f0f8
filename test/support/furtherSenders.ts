import { furtherFinanceSenders } from './furtherFinanceSenders';
import { furtherSoftwareSenders } from './furtherSoftwareSenders';
import type { SurveyedSender } from './senderShapes';

/**
 * Senders that are in no list this package was built after, as a check of it: each that was come
 * upon and signs with an HMAC counts, whether it can be verified or not. One that sends its claims
 * as a JSON Web Token does not.
 */
export const furtherSenders: SurveyedSender[] = [
	...furtherFinanceSenders,
	...furtherSoftwareSenders,
];

/** What these sign, or with what, no setting can say. */
export const furtherBeyondReach = {
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
