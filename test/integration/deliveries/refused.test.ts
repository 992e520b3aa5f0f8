// The answers to deliveries that start nothing, and which of them a person learns of.
import { createHmac, randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { outputSchema } from '../../../nodes/CompanyRegistry/trigger/deliveries/output';
import { memoryOf } from '../../../nodes/CompanyRegistry/trigger/lifecycle/memory';
import { rejectionOf } from '../../../nodes/CompanyRegistry/shared/async';
import type { DeliveryRequest, StoredWebhook } from '../../simulator';
import type { CustomScheme, SchemeName } from '../../simulator/signing';
import { runWithHints } from '../../support/contexts';
import { exchange, type DeliveredRequest } from '../../support/exchange';
import { captureLog } from '../../support/logCapture';
import {
	NO_TRACES,
	referenceOf,
	signedFor,
	startPublishedTrigger,
	type PublishedTrigger,
} from '../../support/triggerHarness';

// Under load this takes far longer than jest allows by itself.
jest.setTimeout(30_000);

const DAY = 24 * 3_600_000;
const companies = ['00445790', 'SC123456', '01234567', 'NI123456'];
/** 24 characters that appear nowhere else: no text may quote a part of a value. */
const VALUE = 'qwertyuiopasdfghjklzxcvb';

let trigger: PublishedTrigger;
let log: string[];
let now: number;

// Each test has a trigger of its own, which has verified nothing yet.
beforeEach(async () => {
	trigger = await startPublishedTrigger(...companies);
	serve();
	now = Date.now();
	jest.spyOn(Date, 'now').mockImplementation(() => now);
	jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(async () => {
	jest.restoreAllMocks();
	await trigger?.close();
	expect(trigger.traces()).toEqual(NO_TRACES);
	expect(log.join()).not.toContain(VALUE);
});

/** Serves the trigger with this custom scheme. */
function serve(scheme?: INodeParameters, changes: INodeParameters = {}): void {
	trigger.serve(scheme && { signature: { scheme } }, changes);
	log = captureLog(trigger.served());
}

const BODY = `{"note":"${VALUE}"}`;

/** A delivery to the first webhook, or to another. */
function request(
	headers: Record<string, string>,
	{ webhook = trigger.webhooks[0], ref = referenceOf(webhook), body = BODY } = {},
): DeliveredRequest {
	return { query: { ref }, headers, rawBody: Buffer.from(body) };
}

function signed(
	scheme: SchemeName | CustomScheme,
	{ webhook = trigger.webhooks[0], body = BODY } = {},
) {
	return signedFor(webhook, scheme, Buffer.from(body));
}

const genuine = (webhook = trigger.webhooks[0]) =>
	request(signed('standardWebhooks', { webhook }), { webhook });
const forged = { 'webhook-signature': `v1,${'A'.repeat(43)}=` };

/** The status of the answer, and behind it what a failed execution says, if there is one. */
async function answersTo(...deliveries: DeliveredRequest[]): Promise<Array<number | string>> {
	const answers: Array<number | string> = [];
	for (const delivery of deliveries) {
		const { status, result } = await exchange(trigger.served(), delivery);
		answers.push(status);
		if (!result?.noWebhookResponse || !result.workflowData) continue;
		// n8n runs the workflow with these items.
		const run = runWithHints(trigger.served(), result.workflowData.flat());
		const { message, description } = (await rejectionOf(run)) as Record<string, string>;
		answers.push(`${message}. ${description}`);
		for (const { secret } of trigger.webhooks) {
			expect(answers.join()).not.toContain(secret.replace('whsec_', ''));
		}
		expect(answers.join()).not.toContain(VALUE);
	}
	return answers;
}
const accept = async (webhook?: StoredWebhook) =>
	expect(await answersTo(genuine(webhook))).toEqual([200]);

const MISSING = 'has no signature in a known format';
const WRONG = 'has a signature that does not match';
const STALE = 'has a signed time that is unreadable or outside the tolerance';
const UNREADABLE = 'is genuine, but its body is not a JSON object or array';
const TOLD = expect.any(String) as string;
const telling = (words: string | RegExp) => expect.stringMatching(words) as string;

describe('the answer to the sender', () => {
	const others = { 'x-acme-signature': VALUE, authorization: VALUE, 'x-other': VALUE };
	const bytes = { 'content-type': 'application/octet-stream' };
	const signature = 'webhook-signature';

	it.each<[number, string, string, DeliveryRequest]>([
		[401, MISSING, 'none', { sign: false }],
		[401, MISSING, 'x-acme-signature', { sign: false, headers: others }],
		[401, WRONG, signature, { secret: 'whsec_AAAA' }],
		[401, STALE, signature, { timestamp: 1_000_000_000 }],
		[400, UNREADABLE, signature, { rawBody: 'hello', headers: bytes }],
		[401, WRONG, signature, { rawBody: 'x'.repeat(17 * 2 ** 20), headers: bytes }],
	])('is %i where it %s', async (status, what, names, delivery) => {
		const error = status === 401 ? 'unauthorized' : 'bad_request';
		await accept();
		const answer = await trigger.deliver(delivery);
		expect([answer.status, answer.headers['content-type']]).toEqual([
			status,
			'application/json; charset=utf-8',
		]);
		const message = `A delivery ${what}.`;
		expect(JSON.parse(answer.body)).toEqual({ error, message, status });
		const line = `A delivery for company 00445790 ${what}. Answer: ${status}. Headers that look like a signature: ${names}`;
		expect(log).toEqual([expect.stringContaining(line)]);
		expect(log[0]).not.toMatch(/x-other|authorization/);
	});

	it('comes with ten lines in the log a minute at most, for each reason', async () => {
		await accept();
		const linesOf = async (times: number, headers: Record<string, string>) => {
			log.length = 0;
			for (let time = 0; time < times; time++) await answersTo(request(headers));
			return log.filter((line) => line.includes('Answer: ')).length;
		};
		// The third one is reported at more length.
		expect([await linesOf(14, forged), await linesOf(1, {})]).toEqual([10, 1]);
		now += 60_000;
		expect(await linesOf(1, forged)).toBe(1);
	});
});

describe('a report of refused deliveries', () => {
	const unknown = (ref = 'A'.repeat(22)) => request(forged, { ref });
	const other = () => request(forged, { webhook: trigger.webhooks[1] });

	it('comes with the first one while the settings have proved none, and then once a day', async () => {
		const all = [request(forged), other(), request({})];
		expect(await answersTo(request(forged))).toEqual([401, telling(/^1 delivery .*00445790/)]);
		expect(await answersTo(...all)).toEqual([401, 401, 401]);
		now += DAY - 1;
		expect(await answersTo(...all)).toEqual([401, 401, 401]);
		now += 1;
		expect(await answersTo(...all)).toEqual([401, telling(/^7 deliveries /), 401, 401]);
	});

	it('comes with the third one once the settings have proved a delivery', async () => {
		await accept();
		expect(await answersTo(request(forged), other())).toEqual([401, 401]);
		await accept();
		const told = telling(/^3 deliveries .*00445790 failed/);
		expect(await answersTo(request(forged), other())).toEqual([401, told, 401]);
		now += DAY;
		expect(await answersTo(other(), request(forged))).toEqual([401, 401, telling(/^3 deliveries/)]);
	});

	it('comes with the first one again where the settings have changed', async () => {
		const scheme = { header: 'webhook-signature' };
		await accept();
		serve(scheme);
		expect(await answersTo(request(signed('github')))).toEqual([401, TOLD]);
		expect(await answersTo(request(signed(scheme)))).toEqual([200]);
		now += DAY;
		expect(await answersTo(genuine())).toEqual([401]);

		serve({ header: '={{ $("Nowhere") }}' });
		const unset = telling(/Options → Signature cannot be read or used/);
		expect(await answersTo(genuine(), genuine())).toEqual([503, unset, 503]);
	});

	it('comes once a day more for those whose secret is not known', async () => {
		expect(await answersTo(unknown(), unknown())).toEqual([503, telling(/\?ref=AAAAAA…/), 503]);
		expect(await answersTo(request(forged), request(forged))).toEqual([401, TOLD, 401]);
		await accept();
		now += DAY;
		const odd = [unknown(''), unknown('x'.repeat(5000)), unknown(VALUE)];
		expect(await answersTo(...odd)).toEqual([503, 503, telling(/no \?ref= of this trigger/), 503]);
	});

	it('does not come where someone only checks the address', async () => {
		const check = request({}, { ref: '', body: '' });
		expect(await answersTo(check, check, check)).toEqual([503, 503, 503]);
	});

	it('is an item where Watch Report is chosen, and no execution fails', async () => {
		serve(undefined, { events: ['filing.new', 'watch.report'] });
		const { status, result } = await exchange(trigger.served(), request(forged));
		const items = result?.workflowData?.flat() ?? [];
		const { output } = await runWithHints(trigger.served(), items);
		const [item, ...others] = output.map(({ json }) => outputSchema.parse(json));
		expect([status, others]).toEqual([401, []]);
		const { subject, text } = item;
		expect(item).toMatchObject({
			...{ event: 'watch.report', company_number: null, webhook_id: null, delivery_id: null },
			payload: { state: 'incomplete', summary: `${subject}\n\n${text}` },
		});
		expect(JSON.stringify(item)).not.toContain(VALUE);
	});

	const unrecognised: CustomScheme = {
		header: 'X-Foo-Seal',
		headerFormat: 'v3={signature}',
		content: '{id}:{timestamp}:{body}',
		timestampHeader: 'X-Foo-Sent-At',
		idHeader: 'X-Foo-Call',
	};
	const late = () => {
		const headers = signed('standardWebhooks');
		now += 301_000;
		return headers;
	};

	it.each<[string, RegExp, () => Record<string, string>, string?]>([
		[
			MISSING,
			/Options → Signature.* Headers of the delivery: x-foo-call, authorization\./,
			() => ({ 'x-foo-call': VALUE, authorization: `Basic ${VALUE}` }),
		],
		[WRONG, /Headers of the delivery: webhook-signature\./, () => forged],
		[STALE, /30[12] seconds in the past\. .*Tolerance/, late],
		[
			'is genuine, but its signature format is not recognised',
			/Settings: Header `X-Foo-Seal`, Header Format `v3=\{signature\}`, Signed Content `\{id\}:\{timestamp\}:\{body\}`, Timestamp Header `X-Foo-Sent-At`, ID Header `X-Foo-Call`\. /,
			() => signed(unrecognised),
		],
		[UNREADABLE, /JSON.*x-hub-signature-256/, () => signed('github', { body: VALUE }), VALUE],
	])('says what to do where a delivery %s', async (...row) => {
		const [what, text, headers, body] = row;
		const [status, told] = await answersTo(request(headers(), { body }));
		expect(status).toBe(what === UNREADABLE ? 400 : 401);
		expect(told).toContain(`A delivery for company 00445790 ${what}`);
		expect(told).toMatch(text);
		// The log has the same words, because failed executions may not be saved.
		expect(log).toHaveLength(1);
		expect(log[0].replace(/\s+/g, ' ')).toContain(String(told).replace(/\s+/g, ' '));
	});

	it('warns of a change where the present settings have proved others', async () => {
		await accept();
		const delivery = () => request(signed(unrecognised));
		const told = telling(/current settings work for other deliveries.*Settings: /);
		expect(await answersTo(delivery(), delivery(), delivery())).toEqual([401, 401, 401, told]);
	});
});

it('a custom scheme may cover the address that the service delivers to', async () => {
	const { url, secret } = trigger.webhooks[0];
	serve({ header: 'X-Seal', content: '{url}{body}' });
	const { rawBody } = request({});
	const seal = createHmac('sha256', secret).update(url).update(rawBody).digest('hex');
	expect(await answersTo(request({ 'x-seal': seal }))).toEqual([200]);
	expect(await answersTo(request({ 'x-seal': seal.replace(/^../, 'zz') }))).toEqual([401]);
});

it('a delivery gets 503 while its webhook is pending, or 200 if unsigned', async () => {
	const id = randomUUID();
	const ref = 'p'.repeat(22);
	const workflow = trigger.storedWith('', '', { id });
	memoryOf({ workflow: id, node: workflow.node.id }).byReference.set(ref, undefined);
	const answerTo = async (headers = {}) =>
		await exchange(workflow, request(headers, { ref, body: BODY }));

	// The service may check the address.
	expect(await answerTo()).toMatchObject({ status: 200, body: {} });
	for (const headers of [forged, signed('standardWebhooks')]) {
		const { status, result } = await answerTo(headers);
		expect([status, result]).toEqual([503, { noWebhookResponse: true }]);
	}
});
