// Deliveries made to do harm: whatever they hold, nothing is started and nothing is told.
import fc from 'fast-check';

import { exchange, type DeliveredRequest } from '../../support/exchange';
import type { TestWorkflow } from '../../support/contexts';
import { captureLog } from '../../support/logCapture';
import {
	saved,
	startTriggerHarness,
	watching,
	type TriggerHarness,
} from '../../support/triggerHarness';
import { signDelivery, type SchemeName } from '../../simulator/signing';
import type { StoredWebhook } from '../../simulator';

// Under load this takes far longer than jest allows by itself.
jest.setTimeout(30_000);

const companies = ['00445790', 'SC123456', '01234567'];
const schemes: SchemeName[] = [
	'standardWebhooks',
	'svix',
	'stripe',
	'github',
	'shopify',
	'linear',
	'bodyHmac',
];

let harness: TriggerHarness;
let workflow: TestWorkflow;
let webhooks: StoredWebhook[];

beforeAll(async () => {
	harness = await startTriggerHarness();
	const published = harness.workflow({ parameters: watching(...companies) });
	await harness.publish(published);
	webhooks = harness.simulator.webhooks();
	// Made at once, they exist in any order.
	webhooks.sort(
		(one, other) => companies.indexOf(one.company_number) - companies.indexOf(other.company_number),
	);
	workflow = harness.workflow({
		parameters: { ...watching(...companies), options: { includeRequest: true } },
		staticData: saved(published),
	});
	harness.simulator.clearRequests();
});
afterAll(async () => await harness.close());
beforeEach(async () => await proveAll());
afterEach(() => jest.restoreAllMocks());

const referenceOf = ({ url }: StoredWebhook) => new URL(url).searchParams.get('ref');
const nowInSeconds = () => Math.floor(Date.now() / 1000);

const body = fc.oneof(
	fc.json().map((text) => Buffer.from(text)),
	fc.uint8Array().map((bytes) => Buffer.from(bytes)),
);
const oddReference = fc.oneof(
	fc.constantFrom(
		'__proto__',
		'constructor',
		'hasOwnProperty',
		'toString',
		'',
		'x'.repeat(100_000),
	),
	fc.string(),
	fc.array(fc.string()),
	fc.object(),
	fc.constant(undefined),
);
/** References as they are, and what a query parser makes of `ref[]=` and `ref[key]=`. */
const reference = fc.oneof(
	fc.nat({ max: companies.length - 1 }).map((n) => referenceOf(webhooks[n])),
	fc.nat({ max: companies.length - 1 }).map((n) => [referenceOf(webhooks[n])]),
	oddReference,
);
const headerName = fc.constantFrom(
	...[
		'webhook-id',
		'webhook-timestamp',
		'webhook-signature',
		'x-acme-signature',
		'x-hub-signature-256',
	],
	...['x-delivery-id', 'x-acme-event', 'cookie', 'content-type', '__proto__', 'constructor'],
);
const headers = fc.dictionary(headerName, fc.oneof(fc.string(), fc.array(fc.string())), {
	noNullPrototype: true,
});

/** Has each webhook deliver something genuine: what is refused from then on is taken for forged. */
async function proveAll(): Promise<void> {
	const rawBody = Buffer.from('{}');
	for (const webhook of webhooks) {
		const signable = {
			secret: webhook.secret,
			body: rawBody,
			id: 'proof',
			timestamp: nowInSeconds(),
		};
		const signed = signDelivery('standardWebhooks', signable);
		await exchange(workflow, { query: { ref: referenceOf(webhook) }, headers: signed, rawBody });
	}
}

/** No part of an exchange that leaves the node may hold any secret. */
function expectNoSecrets(...parts: unknown[]): void {
	const text = JSON.stringify(parts);
	for (const { secret } of webhooks) {
		expect(text).not.toContain(secret);
		expect(text).not.toContain(secret.replace('whsec_', ''));
	}
}

it('refuses whatever is not signed, without a throw, a secret, a write, a request or a credential', async () => {
	const log = captureLog(workflow);
	// Each a minute after the one before: of many within one, only some get a line.
	let now = Date.now();
	jest.spyOn(Date, 'now').mockImplementation(() => now);
	await fc.assert(
		fc.asyncProperty(reference, headers, body, async (ref, sent, rawBody) => {
			log.length = 0;
			now += 60_000;
			// Three refused in a row would be shown as a failed execution.
			await proveAll();
			const request: DeliveredRequest = { query: { ref }, headers: sent, rawBody };
			const { status, body: answer, result } = await exchange(workflow, request);
			const isKnown = webhooks.some((webhook) => referenceOf(webhook) === ref);
			expect(status).toBe(isKnown ? 401 : 503);
			expect(answer).toEqual({ error: expect.any(String), message: expect.any(String), status });
			expect(result).toEqual({ noWebhookResponse: true });
			expect(log).toHaveLength(1);
			expectNoSecrets(answer, log);
		}),
		{ numRuns: 500 },
	);
	expect(workflow.workflow.staticData.__dataChanged).toBe(false);
	expect(workflow.credentials.reads).toBe(0);
	expect(harness.simulator.requests).toEqual([]);
});

it("never accepts one company's secret for another's reference", async () => {
	captureLog(workflow);
	const index = fc.nat({ max: companies.length - 1 });
	await fc.assert(
		fc.asyncProperty(
			index,
			index,
			fc.constantFrom(...schemes),
			fc.uuid(),
			async (signer, receiver, scheme, id) => {
				await proveAll();
				const rawBody = Buffer.from(JSON.stringify({ event: 'filing.new', id }));
				const signable = {
					secret: webhooks[signer].secret,
					body: rawBody,
					id,
					timestamp: nowInSeconds(),
				};
				const outcome = await exchange(workflow, {
					query: { ref: referenceOf(webhooks[receiver]) },
					headers: signDelivery(scheme, signable),
					rawBody,
				});
				expect(outcome.status).toBe(signer === receiver ? 200 : 401);
				expect(outcome.result?.workflowData?.flat() ?? []).toHaveLength(
					signer === receiver ? 1 : 0,
				);
				expectNoSecrets(outcome);
			},
		),
		{ numRuns: 200 },
	);
});

it('hands any signed JSON over as it is', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.json(),
			fc.constantFrom(...schemes),
			fc.uuid(),
			async (text, scheme, id) => {
				const rawBody = Buffer.from(`{"payload of ${id}":${text}}`);
				const signable = {
					secret: webhooks[0].secret,
					body: rawBody,
					id,
					timestamp: nowInSeconds(),
				};
				const { result } = await exchange(workflow, {
					query: { ref: referenceOf(webhooks[0]) },
					headers: signDelivery(scheme, signable),
					rawBody,
				});
				const [item] = result?.workflowData?.flat() ?? [];
				expect(item?.json).toMatchObject({
					company_number: companies[0],
					webhook_id: webhooks[0].id,
				});
				expect(JSON.stringify(item?.json.payload)).toBe(
					JSON.stringify(JSON.parse(rawBody.toString())),
				);
				expectNoSecrets(result);
			},
		),
		{ numRuns: 300 },
	);
});
