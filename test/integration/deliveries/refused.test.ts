// The answers to deliveries that start nothing, and which of them n8n shows as failed executions.
import { createHmac, randomUUID } from 'node:crypto';

import { NodeOperationError, type INodeParameters } from 'n8n-workflow';

import { memoryOf } from '../../../nodes/CompanyRegistry/trigger/lifecycle/state';
import type { DeliveryRequest, StoredWebhook } from '../../simulator';
import type { CustomScheme, SchemeName } from '../../simulator/signing';
import { exchange, type DeliveredRequest } from '../../support/exchange';
import { captureLog } from '../../support/logCapture';
import {
	NO_TRACES,
	referenceOf,
	signedFor,
	startPublishedTrigger,
	type PublishedTrigger,
} from '../../support/triggerHarness';
import { COMMON_FORMAT, forgetServiceScheme } from '../../support/serviceScheme';

forgetServiceScheme();

// Under load this takes far longer than jest allows by itself.
jest.setTimeout(30_000);

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
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
function serve(scheme?: INodeParameters): void {
	trigger.serve(scheme && { signature: { scheme } });
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

let ids = 0;

function signed(
	scheme: SchemeName | CustomScheme,
	{ webhook = trigger.webhooks[0], body = BODY } = {},
) {
	// Parts of this id look like a time.
	const id = `20231114-664c-4e99-9c3c-${String(++ids).padStart(12, '0')}`;
	return signedFor(webhook, scheme, Buffer.from(body), id);
}

const genuine = (webhook = trigger.webhooks[0]) =>
	request(signed(COMMON_FORMAT, { webhook }), { webhook });
const forged = { 'webhook-signature': `v1,${'A'.repeat(43)}=` };

interface Shown {
	message: string;
	description: string;
}

/** The status of the answer, or the failed execution that n8n shows. */
async function outcomeOf(
	delivery: DeliveredRequest,
	workflow = trigger.served(),
): Promise<number | Shown> {
	try {
		return (await exchange(workflow, delivery)).status;
	} catch (error) {
		if (!(error instanceof NodeOperationError)) throw error;
		const shown = { message: error.message, description: String(error.description) };
		const text = JSON.stringify({ ...error, ...shown, stack: error.stack });
		for (const { secret } of trigger.webhooks) {
			expect(text).not.toContain(secret.replace('whsec_', ''));
		}
		expect(text).not.toContain(VALUE);
		return shown;
	}
}

const MISSING = 'has no signature in a known format';
const WRONG = 'has a signature that does not match';
const STALE = 'has a signed time that is unreadable or outside the tolerance';
const UNREADABLE = 'is genuine, but its body is not a JSON object or array of at most 1000 levels';
const shown = { message: expect.any(String), description: expect.any(String) };

describe('the answer to the sender', () => {
	const others = { 'x-acme-signature': VALUE, authorization: VALUE, 'x-other': VALUE };
	const DEEP = '['.repeat(100_000) + ']'.repeat(100_000);
	const bytes = { 'content-type': 'application/octet-stream' };
	const signature = 'webhook-signature';

	it.each<[number, string, string, DeliveryRequest]>([
		[401, MISSING, 'none', { sign: false }],
		[401, MISSING, 'x-acme-signature', { sign: false, headers: others }],
		[401, WRONG, signature, { secret: 'whsec_AAAA' }],
		[401, STALE, signature, { timestamp: 1_000_000_000 }],
		[400, UNREADABLE, signature, { rawBody: 'hello', headers: bytes }],
		[400, UNREADABLE, signature, { rawBody: DEEP, headers: bytes }],
	])('is %i where it %s', async (status, what, names, delivery) => {
		const error = status === 401 ? 'unauthorized' : 'bad_request';
		await trigger.deliver({});
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

	it.each([
		['is unknown', `ref=${'A'.repeat(22)}`],
		['is a list', `ref[]=${'A'.repeat(22)}`],
		['cannot be decoded', 'ref=%E0%A4%A'],
	])('is 503 where its reference %s', async (_case, query) => {
		await trigger.deliver({});
		const url = `${trigger.webhooks[0].url.split('?')[0]}?${query}`;
		const { status, headers, body } = await trigger.deliver({ url });
		expect([status, headers['retry-after']]).toEqual([503, '30']);
		const message = expect.any(String);
		expect(JSON.parse(body)).toEqual({ error: 'unavailable', message, status });
		expect(log).toEqual([expect.stringContaining('Answer: 503')]);
	});

	it('comes with ten lines in the log a minute at most, for each reason', async () => {
		await outcomeOf(genuine());
		const linesOf = async (times: number, headers: Record<string, string>) => {
			log.length = 0;
			for (let time = 0; time < times; time++) await outcomeOf(request(headers));
			return log.filter((line) => line.includes('Answer: ')).length;
		};
		expect([await linesOf(13, forged), await linesOf(1, {})]).toEqual([10, 1]);
		now += 60_000;
		expect(await linesOf(1, forged)).toBe(1);
	});
});

describe('a refused delivery of a webhook that was never verified', () => {
	it('is shown as a failed execution, once an hour for each trigger', async () => {
		expect(await outcomeOf(request(forged))).toEqual(shown);
		const [, webhook] = trigger.webhooks;
		const refused = async () => [
			await outcomeOf(request(forged)),
			await outcomeOf(request(forged, { webhook })),
			await outcomeOf(request({})),
		];
		expect(await refused()).toEqual([401, 401, 401]);
		now += HOUR - 1;
		expect(await refused()).toEqual([401, 401, 401]);
		now += 60_000;
		expect(await outcomeOf(request(forged, { webhook }))).toEqual(shown);
		expect(await refused()).toEqual([401, 401, 401]);
	});

	it('is not shown where the webhook is stored as desired no longer', async () => {
		const stored = trigger.storedWith(/ {2}00445790 [^ "\\]+ [^ "\\]+/, '$&  left');
		expect(await exchange(stored, request(forged))).toMatchObject({ status: 401 });
		const other = request(forged, { webhook: trigger.webhooks[1] });
		await expect(exchange(stored, other)).rejects.toThrow('SC123456');
		// The parameters still name the company.
		const { result } = await exchange(stored, genuine());
		expect(result?.workflowData).toHaveLength(1);
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

	it.each<[string, RegExp, () => Record<string, string>, INodeParameters?, string?]>([
		[
			MISSING,
			/^If the registry service did not send.*no proxy.*enter its signature format under Options → Signature, and publish\. Headers of the delivery: x-foo-call, authorization\. n8n shows only some refused deliveries; its log has more\.$/,
			() => ({ 'x-foo-call': VALUE, authorization: `Basic ${VALUE}` }),
		],
		[
			WRONG,
			/^If the registry service did not send.*Headers of the delivery: webhook-signature\./,
			() => forged,
		],
		[
			'is genuine, but its signature does not follow Options → Signature',
			/^Remove Options → Signature → Custom Scheme and publish: .* all companies\. Headers.*x-hub-signature-256/,
			() => signed('github'),
			{ header: 'X-Seal' },
		],
		[
			STALE,
			/its time is 30[12] seconds in the past\. Check the clock.*raise Options → Signature → Tolerance and publish/,
			late,
		],
		[
			'is genuine, but its signature format is not recognised',
			/^Under Options → Signature → Custom Scheme, enter the settings below, reset its other fields, and publish\. .*Settings: Header `X-Foo-Seal`, Header Format `v3=\{signature\}`, Signed Content `\{id\}:\{timestamp\}:\{body\}`, Timestamp Header `X-Foo-Sent-At`, ID Header `X-Foo-Call`\. /,
			() => signed(unrecognised),
		],
		[
			UNREADABLE,
			/^Look in the service's reference.*Headers of the delivery: x-hub-signature-256/,
			() => signed('github', { body: VALUE }),
			undefined,
			VALUE,
		],
	])('says what to do where it %s', async (...row) => {
		const [what, text, headers, scheme, body] = row;
		serve(scheme);
		const message = `A delivery for company 00445790 ${what}`;
		const outcome = await outcomeOf(request(headers(), { body }));
		expect(outcome).toEqual({ message, description: expect.stringMatching(text) });
		// The log has the same words, because failed executions may not be saved.
		expect(log).toEqual([
			expect.stringContaining(`${message}. n8n shows it as a failed execution. `),
		]);
		expect(log[0]).toContain(String((outcome as Shown).description));
	});

	it('names the other companies for which the current settings work', async () => {
		const [one, other, third] = trigger.webhooks;
		for (const webhook of [other, third]) expect(await outcomeOf(genuine(webhook))).toBe(200);
		const delivery = () => request(signed(unrecognised));
		const text = /The current settings work for 2 other companies: change them only if/;
		const description = expect.stringMatching(text);
		expect(await outcomeOf(delivery())).toMatchObject({ description });
		// It is never accepted for that.
		expect(await outcomeOf(genuine(one))).toBe(200);
		expect(await outcomeOf(delivery())).toBe(401);
	});

	it('counts where another scheme verified it, but not where the present one did', async () => {
		const scheme = { header: 'webhook-signature' };
		expect(await outcomeOf(genuine())).toBe(200);
		serve(scheme);
		expect(await outcomeOf(request(signed('github')))).toEqual(shown);
		expect(await outcomeOf(request(signed(scheme)))).toBe(200);
		now += HOUR;
		expect(await outcomeOf(genuine())).toBe(401);
	});
});

describe('a refused delivery of a webhook that was verified before', () => {
	const words = /The service may have changed its secret or signature format/;
	const late = (company: string) => ({
		message: `A delivery for company ${company} failed verification, as did at least two before it`,
		description: expect.stringMatching(words),
	});
	const outcomesOf = async (...webhooks: StoredWebhook[]) => {
		const outcomes: unknown[] = [];
		for (const webhook of webhooks) outcomes.push(await outcomeOf(request(forged, { webhook })));
		return outcomes;
	};
	const verify = async (webhook: StoredWebhook) =>
		expect(await outcomeOf(genuine(webhook))).toBe(200);

	it('is shown at the third in a row of one company, once a day', async () => {
		const [one, other] = trigger.webhooks;
		await verify(one);
		await verify(other);
		expect(await outcomesOf(one, one)).toEqual([401, 401]);
		await verify(other);
		expect(await outcomesOf(one, one, other)).toEqual([late('00445790'), 401, 401]);
		await verify(one);
		now += DAY - 1;
		expect(await outcomesOf(one, one, one)).toEqual([401, 401, 401]);
		now += 1;
		expect(await outcomesOf(one, other, other)).toEqual([late('00445790'), 401, late('SC123456')]);
	});

	it('is shown for three companies a day at most', async () => {
		const { webhooks } = trigger;
		for (const webhook of webhooks) await verify(webhook);
		for (const webhook of webhooks) await outcomesOf(webhook, webhook);
		const [a, b, c, d] = companies.map(late);
		expect(await outcomesOf(...webhooks)).toEqual([a, b, c, 401]);
		now += DAY;
		// Three companies, and once more because several have such deliveries.
		expect(await outcomesOf(webhooks[3], ...webhooks)).toEqual([d, a, b, c, 401]);
	});

	it('is shown at the third company that has one, once a day', async () => {
		const [one, other, third, fourth] = trigger.webhooks;
		for (const webhook of trigger.webhooks) await verify(webhook);
		const shownFirst = {
			...late('01234567'),
			description: expect.stringContaining('So far, 3 webhooks of this trigger'),
		};
		expect(await outcomesOf(one, other, third, fourth)).toEqual([401, 401, shownFirst, 401]);
		now += DAY - 1;
		await verify(one);
		expect(await outcomesOf(one)).toEqual([401]);
		now += 1;
		expect(await outcomesOf(one)).toEqual([
			{ ...late('00445790'), description: expect.stringContaining('So far, 4 webhooks') },
		]);
	});

	it('is shown at the third in a row that cannot be read', async () => {
		expect(await outcomeOf(request(signed('github')))).toBe(200);
		const body = VALUE;
		for (const outcome of [400, 400, shown, 400]) {
			expect(await outcomeOf(request(signed('github', { body }), { body }))).toEqual(outcome);
		}
	});
});

it('a custom scheme may cover the address that the service delivers to', async () => {
	const { url, secret } = trigger.webhooks[0];
	serve({ header: 'X-Seal', content: '{url}{body}' });
	const { rawBody } = request({});
	const seal = createHmac('sha256', secret).update(url).update(rawBody).digest('hex');
	expect(await outcomeOf(request({ 'x-seal': seal }))).toBe(200);
	expect(await outcomeOf(request({ 'x-seal': seal.replace(/^../, 'zz') }))).toBe(401);
});

describe('a delivery whose secret is not known', () => {
	const unknown = (ref = 'A'.repeat(22)) => outcomeOf(request(forged, { ref }));
	const told = (text: RegExp) => ({
		message: 'A delivery is for a webhook whose secret this trigger does not have',
		description: expect.stringMatching(text),
	});

	it('is shown once an hour while the trigger has verified nothing', async () => {
		expect(await unknown()).toEqual(told(/then unpublish and publish\..*\?ref=AAAAAA…/));
		expect(await unknown()).toBe(503);
		expect(log).toEqual([
			expect.stringContaining('this trigger does not have. n8n shows it as a failed execution'),
			expect.stringContaining('this trigger does not have. Answer: 503'),
		]);
		expect(await outcomeOf(request(forged))).toEqual(shown);
		now += HOUR;
		expect(await unknown()).toEqual(shown);
	});

	it('is shown once a day after others were verified, if such deliveries go on for a day', async () => {
		expect(await outcomeOf(genuine())).toBe(200);
		expect(await unknown()).toBe(503);
		now += DAY - 1;
		expect([await unknown(), await unknown('')]).toEqual([503, 503]);
		now += 1;
		expect(await unknown()).toEqual(
			told(/then unpublish and publish\..*\?ref=AAAAAA….*for at least a day/),
		);
		expect([await unknown(), await unknown('x'.repeat(5000))]).toEqual([503, 503]);
		now += DAY;
		expect(await unknown(VALUE)).toEqual(told(/your proxy.*no \?ref= of this trigger/));
	});

	it('is not shown where someone only checks the address', async () => {
		expect(await outcomeOf(request({}, { ref: '', body: '' }))).toBe(503);
		now += DAY;
		expect(await outcomeOf(request({}, { ref: '', body: '' }))).toBe(503);
	});

	const ref = 'p'.repeat(22);
	const pending = { reference: ref, company: '00445790', earlier: [] };

	it.each([
		['in memory', true],
		['in the stored state', false],
	])('gets 503 while its creation is pending %s, or 200 if unsigned', async (...row) => {
		const [, isRemembered] = row;
		const id = randomUUID();
		const line = `"lines":"\\n${ref} pending 00445790`;
		const workflow = trigger.storedWith('"lines":"', isRemembered ? '"lines":"' : line, { id });
		const { subscriptions } = memoryOf({ workflow: id, node: workflow.node.id });
		if (isRemembered) subscriptions.set(ref, pending);
		const answerTo = async (body: string, headers = {}) =>
			(await exchange(workflow, request(headers, { ref, body }))).body;
		// The service may check the address, with a challenge.
		expect(await answerTo('{"challenge":"a1b2c3"}')).toEqual({ challenge: 'a1b2c3' });
		const long = `{"challenge":"${'a'.repeat(1000)}"}`;
		for (const body of [long, '{"challenge":{"a":1}}', 'not JSON']) {
			expect(await answerTo(body)).toEqual({});
		}
		for (const headers of [forged, signed(COMMON_FORMAT)]) {
			expect(await answerTo(BODY, headers)).toMatchObject({ status: 503 });
		}
	});
});
