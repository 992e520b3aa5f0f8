// Deliveries made to do harm start nothing and learn nothing.
import fc from 'fast-check';

import type { StoredWebhook } from '../../simulator';
import { type SchemeName } from '../../simulator/signing';
import { exchange } from '../../support/exchange';
import { captureLog } from '../../support/logCapture';
import {
	NO_TRACES,
	referenceOf,
	signedFor,
	startPublishedTrigger,
	type PublishedTrigger,
} from '../../support/triggerHarness';

// Under load this takes far longer than jest allows by itself.
jest.setTimeout(120_000);

const companies = ['00445790', 'SC123456', '01234567'];
const schemes: SchemeName[] = ['standardWebhooks', 'stripe', 'github', 'bodyHmac'];

let trigger: PublishedTrigger;
let log: string[];

beforeAll(async () => {
	trigger = await startPublishedTrigger(...companies);
	trigger.serve();
	captureLog(trigger.served());
	// What is refused from then on is taken for forged, and the reports of this day are sent.
	for (const webhook of trigger.webhooks) await send('standardWebhooks', '{}', webhook);
	const [webhook] = trigger.webhooks;
	const known = { query: { ref: referenceOf(webhook) }, headers: {}, rawBody: Buffer.from('{}') };
	const unknown = { ...known, query: {}, headers: { 'x-signature': '' } };
	for (const request of [known, known, known, unknown, unknown, unknown]) {
		await exchange(trigger.served(), request);
	}
});
afterAll(async () => await trigger?.close());
beforeEach(() => {
	trigger.serve();
	log = captureLog(trigger.served());
});
afterEach(() => jest.restoreAllMocks());

const body = fc.oneof(
	fc.json().map((text) => Buffer.from(text)),
	fc.uint8Array().map((bytes) => Buffer.from(bytes)),
);
const oddReference = fc.oneof(
	fc.constantFrom('__proto__', 'constructor', 'hasOwnProperty', '', 'x'.repeat(100_000)),
	fc.string(),
	fc.array(fc.string()),
	fc.object(),
	fc.constant(undefined),
);
/** References as they are, and what a query parser makes of `ref[]=` and `ref[key]=`. */
const known = fc.constantFrom(0, 1, 2).map((n) => referenceOf(trigger.webhooks[n]));
const inList = known.map((one) => [one]);
const reference = fc.oneof(known, inList, oddReference);
const headerName = fc.constantFrom(
	...['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-acme-signature'],
	...['x-delivery-id', 'x-acme-event', 'cookie', 'content-type', '__proto__', 'constructor'],
);
const signature = fc.constantFrom(
	...[`v1,${'A'.repeat(43)}=`, `t=1700000000,v1=${'ab'.repeat(32)}`, `sha512=${'ab'.repeat(64)}`],
);
const headerText = fc.oneof(fc.string(), fc.array(fc.string()), signature);
const headers = fc.dictionary(headerName, headerText, { noNullPrototype: true });

/** Has one webhook's secret sign a delivery to another, and sends it there. */
async function send(scheme: SchemeName, text: string, signer: StoredWebhook, receiver = signer) {
	const rawBody = Buffer.from(text);
	const headers = signedFor(signer, scheme, rawBody);
	return await exchange(trigger.served(), {
		query: { ref: referenceOf(receiver) },
		headers,
		rawBody,
	});
}

/** No part of an exchange that leaves the node may hold any secret. */
function expectNoSecrets(...parts: unknown[]): void {
	const text = JSON.stringify(parts);
	for (const { secret } of trigger.webhooks) {
		expect(text).not.toContain(secret.replace('whsec_', ''));
	}
}

it('refuses whatever is not signed, without a throw, a secret, a write, a request or a credential', async () => {
	// Each a minute after the one before: of many within one, only some get a line.
	let now = Math.ceil(performance.now());
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	await fc.assert(
		fc.asyncProperty(reference, headers, body, async (ref, sent, rawBody) => {
			log.length = 0;
			now += 60_000;
			const request = { query: { ref }, headers: sent, rawBody };
			const { status, body: answer, result } = await exchange(trigger.served(), request);
			const isKnown = trigger.webhooks.some((webhook) => referenceOf(webhook) === ref);
			expect(status).toBe(isKnown ? 401 : 503);
			expect(answer).toEqual({ error: expect.any(String), message: expect.any(String), status });
			expect(result).toEqual({ noWebhookResponse: true });
			expect(log).toHaveLength(1);
			expectNoSecrets(answer, log);
		}),
		{ numRuns: 500, seed: 37 },
	);
	expect(trigger.traces()).toEqual(NO_TRACES);
});

it("hands any signed JSON over as it is, and accepts no other company's secret", async () => {
	const index = fc.nat({ max: companies.length - 1 });
	await fc.assert(
		fc.asyncProperty(
			...([index, index, fc.constantFrom(...schemes), fc.uuid(), fc.json()] as const),
			async (signer, receiver, scheme, id, json) => {
				const text = `{"payload of ${id}":${json}}`;
				const { webhooks } = trigger;
				const outcome = await send(scheme, text, webhooks[signer], webhooks[receiver]);
				expectNoSecrets(outcome);
				const items = outcome.result?.workflowData?.flat() ?? [];
				expect(outcome.status).toBe(signer === receiver ? 200 : 401);
				expect(items).toHaveLength(signer === receiver ? 1 : 0);
				for (const { json: output } of items) {
					expect(output).toMatchObject({ company_number: companies[signer] });
					expect(JSON.stringify(output.payload)).toBe(JSON.stringify(JSON.parse(text)));
				}
			},
		),
		{ numRuns: 400, seed: 37 },
	);
});
