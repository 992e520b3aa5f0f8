// What the user is told of a delivery that cannot be verified, and how often.
import { createHmac, randomUUID } from 'node:crypto';

import { NodeOperationError, type INodeParameters } from 'n8n-workflow';

import { SERVICE_SCHEME } from '../../../nodes/CompanyRegistry/trigger/signatures/serviceScheme';
import type { StoredWebhook } from '../../simulator';
import { signDelivery, type CustomScheme, type SchemeName } from '../../simulator/signing';
import { received } from '../../support/atService';
import { exchange, type DeliveredRequest } from '../../support/exchange';
import { captureLog } from '../../support/logCapture';
import {
	NO_TRACES,
	startPublishedTrigger,
	type PublishedTrigger,
} from '../../support/publishedTrigger';

// What is recognised counts here, also once it is known how the service signs.
jest.mock('../../../nodes/CompanyRegistry/trigger/signatures/serviceScheme', () => ({}));

// Under load this takes far longer than jest allows by itself.
jest.setTimeout(30_000);

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const companies = ['00445790', 'SC123456', '01234567', 'NI123456'];
/** 24 characters that are in nothing else: a description may quote no part of a value. */
const VALUE = 'qwertyuiopasdfghjklzxcvb';

let trigger: PublishedTrigger;
let log: string[];
let now: number;

// Each test has a trigger of its own, which has verified nothing yet.
beforeEach(async () => {
	trigger = await startPublishedTrigger(...companies);
	trigger.serve();
	log = captureLog(trigger.served());
	now = Date.now();
	jest.spyOn(Date, 'now').mockImplementation(() => now);
	jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(async () => {
	jest.restoreAllMocks();
	await trigger?.close();
	expect(trigger.traces()).toEqual(NO_TRACES);
});

const referenceOf = ({ url }: Pick<StoredWebhook, 'url'>) => new URL(url).searchParams.get('ref');

const BODY = `{"note":"${VALUE}"}`;

/** A delivery to the first webhook, or to another. */
function request(
	headers: Record<string, string>,
	{ webhook = trigger.webhooks[0], ref = referenceOf(webhook), isTest = false, body = BODY } = {},
): DeliveredRequest {
	return { query: { ref }, headers, rawBody: Buffer.from(body), isTest };
}

/** As the service signs, once that is known. */
const GENUINE = SERVICE_SCHEME ?? 'standardWebhooks';
let ids = 0;

function signed(
	scheme: SchemeName | CustomScheme,
	{ webhook = trigger.webhooks[0], body = BODY } = {},
) {
	const timestamp = Math.floor(now / 1000);
	// Parts of it could be taken for a time.
	const id = `20231114-664c-4e99-9c3c-${String(++ids).padStart(12, '0')}`;
	const { secret, url } = webhook;
	return signDelivery(scheme, { secret, body: Buffer.from(body), id, timestamp, url });
}

const forged = { 'webhook-signature': `v1,${'A'.repeat(43)}=` };

interface Shown {
	message: string;
	description: string;
}

/** The status that came of it, or what n8n shows of a failed execution. */
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

const shown = { message: expect.any(String), description: expect.any(String) };

describe('a delivery that is refused before its webhook has verified any', () => {
	it('is shown as a failed execution, once an hour for each trigger, and else answered 401', async () => {
		expect(await outcomeOf(request(forged))).toEqual(shown);
		const [, second] = trigger.webhooks;
		const refused = async () => [
			await outcomeOf(request(forged)),
			await outcomeOf(request(forged, { webhook: second })),
			await outcomeOf(request({})),
		];
		expect(await refused()).toEqual([401, 401, 401]);
		now += HOUR - 1;
		expect(await refused()).toEqual([401, 401, 401]);
		now += 60_000;
		expect(await outcomeOf(request(forged, { webhook: second }))).toEqual(shown);
		expect(await refused()).toEqual([401, 401, 401]);
	});

	it('is taken for forged once the webhook has verified one: 401 and the log', async () => {
		expect(await outcomeOf(request(signed(GENUINE)))).toBe(200);
		expect(await outcomeOf(request(forged))).toBe(401);
		expect(log).toEqual([expect.stringContaining('It was answered 401')]);
		expect(await outcomeOf(request(forged, { webhook: trigger.webhooks[1] }))).toEqual(shown);
	});

	it('is not shown where its webhook is stored as paused, although the parameters name the company', async () => {
		const stored = trigger.storedWith('+00445790', '-00445790');
		expect(await exchange(stored, request(forged))).toMatchObject({ status: 401 });
		const other = request(forged, { webhook: trigger.webhooks[1] });
		await expect(exchange(stored, other)).rejects.toThrow('SC123456');
		// A genuine one is taken all the same.
		expect(await exchange(stored, request(signed(GENUINE)))).toMatchObject({
			status: 200,
		});
	});

	it.each<[string, INodeParameters, () => Record<string, string>, string, RegExp]>([
		[
			'has no signature',
			{},
			() => ({ 'x-foo-call': VALUE, authorization: `Basic ${VALUE}` }),
			'A delivery for company 00445790 came without a signature of a known form',
			/^Nothing was found.*enter it under Options → Signature\..*A proxy.*publish again.*Headers of the delivery: x-foo-call, authorization\. Of such deliveries n8n shows only a few; its log names up to ten a minute\.$/,
		],
		[
			'has another signature',
			{},
			() => forged,
			'A delivery for company 00445790 came with a signature that does not match',
			/^Nothing was found.*Headers of the delivery: webhook-signature\./,
		],
		[
			'is not of the scheme that the user entered',
			{ signature: { scheme: { header: 'X-Seal' } } },
			() => signed('github'),
			'A delivery for company 00445790 is genuine, but signed in another way than Options → Signature says',
			/for company 00445790 is genuine.*Remove it there by the bin beside its name: what is entered there replaces recognition for all companies of this trigger\. After a change, publish again.*x-hub-signature-256/,
		],
		[
			'is stale',
			{},
			() => {
				const headers = signed('standardWebhooks');
				now += 301_000;
				return headers;
			},
			'A delivery for company 00445790 came with a signature whose time is too far from now, or cannot be read',
			/its signed time lies 30[12] seconds back.*clock.*sent a recorded one again.*Tolerance only if/,
		],
	])(
		'says what came and what to do where it %s',
		async (_case, options, headers, message, text) => {
			trigger.serve(options);
			log = captureLog(trigger.served());
			const outcome = await outcomeOf(request(headers()));
			expect(outcome).toEqual({ message, description: expect.stringMatching(text) });
			// The same words, so that they are somewhere where failed executions are not saved.
			expect(log).toEqual([
				expect.stringContaining(`${message}. It is shown as a failed execution. `),
			]);
			expect(log[0]).toContain(String((outcome as Shown).description));
			expect(log.join()).not.toContain(VALUE);
		},
	);
});

describe('deliveries that are refused although the trigger has verified others', () => {
	const late = (company: string) => ({
		message: `A delivery for company ${company} could not be verified, though earlier ones were`,
		description: expect.stringMatching(
			/secret or the way it signs may have changed at the registry service, or somebody else knows the address/,
		),
	});
	const outcomesOf = async (...webhooks: StoredWebhook[]) => {
		const outcomes: unknown[] = [];
		for (const webhook of webhooks) outcomes.push(await outcomeOf(request(forged, { webhook })));
		return outcomes;
	};
	const verifyOne = async (webhook: StoredWebhook) =>
		expect(await outcomeOf(request(signed(GENUINE, { webhook }), { webhook }))).toBe(200);

	it('are shown at the third of one company since it verified one, whatever others verify, once a day', async () => {
		const [one, other] = trigger.webhooks;
		await verifyOne(one);
		await verifyOne(other);
		expect(await outcomesOf(one, one)).toEqual([401, 401]);
		await verifyOne(other);
		expect(await outcomesOf(one, one, other)).toEqual([late('00445790'), 401, 401]);
		await verifyOne(one);
		now += DAY - 1;
		expect(await outcomesOf(one, one, one)).toEqual([401, 401, 401]);
		now += 1;
		expect(await outcomesOf(one, other, other)).toEqual([late('00445790'), 401, late('SC123456')]);
	});

	it('are shown of three companies a day at most, and of another the day after', async () => {
		const { webhooks } = trigger;
		for (const webhook of webhooks) await verifyOne(webhook);
		const refused = async (webhook: StoredWebhook) =>
			(await outcomesOf(webhook, webhook, webhook))[2];
		const [a, b, c, d] = webhooks;
		expect([await refused(a), await refused(b), await refused(c), await refused(d)]).toEqual([
			...[late('00445790'), late('SC123456'), late('01234567')],
			401,
		]);
		now += DAY;
		expect(await outcomesOf(d, a, b, c)).toEqual([
			...[late('NI123456'), late('00445790'), late('SC123456')],
			401,
		]);
	});
});

describe('a genuine delivery that cannot be read', () => {
	const body = `note=${VALUE}`;
	const unreadable = () => request(signed('github', { body }), { body });
	const told = {
		message:
			'A delivery for company 00445790 is genuine, but its body is not a JSON object or array of at most 1000 levels',
		description: expect.stringMatching(
			/^The service's reference or support.*Headers of the delivery: x-hub-signature-256/,
		),
	};

	it('is shown once an hour, and else answered 400', async () => {
		expect([await outcomeOf(unreadable()), await outcomeOf(unreadable())]).toEqual([told, 400]);
		now += HOUR;
		expect(await outcomeOf(unreadable())).toEqual(told);
		expect(log).toEqual([
			expect.stringContaining('It is shown as a failed execution'),
			expect.stringMatching(/is genuine, but its body is not .*It was answered 400/),
			expect.stringContaining('It is shown as a failed execution'),
		]);
		expect(log.join()).not.toContain(VALUE);
	});

	it('is shown once a day at the third since one could be read', async () => {
		expect(await outcomeOf(request(signed('github')))).toBe(200);
		const outcomes = [];
		for (let n = 0; n < 4; n++) outcomes.push(await outcomeOf(unreadable()));
		expect(outcomes).toEqual([400, 400, told, 400]);
	});
});

it('a delivery signed in a recognised way brings no advice to remove the custom scheme once that has proven others', async () => {
	trigger.serve({ signature: { scheme: { header: 'X-Seal' } } });
	log = captureLog(trigger.served());
	expect(await outcomeOf(request(signed({ header: 'x-seal' })))).toBe(200);
	expect(await outcomeOf(request(signed(GENUINE)))).toBe(401);
	expect(log).toEqual([expect.stringContaining('It was answered 401')]);
});

it('what was verified before another scheme was set says nothing of it: the first that it refuses is shown', async () => {
	const [, webhook] = trigger.webhooks;
	expect(await outcomeOf(request(signed(GENUINE)))).toBe(200);
	expect(await outcomeOf(request(signed(GENUINE, { webhook }), { webhook }))).toBe(200);
	trigger.serve({ signature: { scheme: { header: 'X-Seal' } } });
	expect(await outcomeOf(request(signed(GENUINE)))).toEqual({
		message: expect.stringContaining('signed in another way than Options → Signature says'),
		description: expect.not.stringContaining('were verified as it is set now'),
	});
});

describe('a refused delivery that is signed in a way that is not recognised', () => {
	const scheme: CustomScheme = {
		header: 'X-Foo-Seal',
		prefix: 'v3=',
		content: '{id}:{timestamp}:{body}',
		timestampHeader: 'X-Foo-Sent-At',
		idHeader: 'X-Foo-Call',
	};
	const settings =
		/Enter under Options → Signature: Header `X-Foo-Seal`, Prefix `v3=`, Signed Content `\{id\}:\{timestamp\}:\{body\}`, Timestamp Header `X-Foo-Sent-At`, ID Header `X-Foo-Call`\. Every other field there must be at its default/;
	const unrecognised = () => request(signed(scheme));

	it.each([false, true])('is shown with the settings to enter (in a test: %s)', async (isTest) => {
		expect(await outcomeOf({ ...unrecognised(), isTest })).toEqual({
			message:
				'A delivery for company 00445790 is genuine, but signed in a way that is not recognised',
			description: expect.stringMatching(settings),
		});
		expect(log).toEqual([expect.stringMatching(settings)]);
		expect(log.join()).not.toContain(VALUE);
	});

	it('names the others that were recognised before, which the settings would refuse; and is never accepted', async () => {
		const [one, other, third] = trigger.webhooks;
		for (const webhook of [other, third]) {
			expect(await outcomeOf(request(signed(GENUINE, { webhook }), { webhook }))).toBe(200);
		}
		expect(await outcomeOf(unrecognised())).toEqual({
			message: expect.stringContaining('is genuine, but signed in a way that is not recognised'),
			description: expect.stringMatching(
				/^The delivery for company 00445790 .* replaces recognition for all companies of this trigger\. Deliveries of 2 other companies were verified as it is set now, and will be refused after that unless/,
			),
		});
		expect(await outcomeOf({ ...unrecognised(), isTest: true })).toMatchObject({
			description: expect.stringContaining('Deliveries of 2 other companies were verified'),
		});
		expect(await outcomeOf(request(signed(GENUINE, { webhook: one })))).toBe(200);
		// Three in a row are shown.
		for (const outcome of [401, 401, shown, 401]) {
			expect(await outcomeOf(unrecognised())).toEqual(outcome);
		}
	});

	it('and where the scheme that is set has verified others, those are named, too', async () => {
		trigger.serve({ signature: { scheme: { header: 'X-Other' } } });
		const [, webhook] = trigger.webhooks;
		const other = signed({ header: 'x-other' }, { webhook });
		expect(await outcomeOf(request(other, { webhook }))).toBe(200);
		expect(await outcomeOf(request(signed('github')))).toMatchObject({
			description: expect.stringMatching(
				/recognised by itself\. Remove it there by the bin beside its name: .*Deliveries of 1 other company were verified as it is set now/,
			),
		});
	});

	it('is taken once they are entered', async () => {
		expect(await outcomeOf(unrecognised())).toEqual(shown);
		trigger.serve({ signature: { scheme: { ...scheme } } });
		expect(await outcomeOf(unrecognised())).toBe(200);
	});
});

it('a delivery is taken whose custom scheme signs the address that it was sent to', async () => {
	const { url, secret } = trigger.webhooks[0];
	trigger.serve({ signature: { scheme: { header: 'X-Seal', content: '{url}{body}' } } });
	const { rawBody } = request({});
	const seal = createHmac('sha256', secret).update(url).update(rawBody).digest('hex');
	expect(await outcomeOf(request({ 'x-seal': seal }))).toBe(200);
	expect(await outcomeOf(request({ 'x-seal': seal.replace(/^../, 'zz') }))).toBe(401);
});

describe('a delivery whose secret is not known, before the trigger has verified any', () => {
	const unknown = () => request(forged, { ref: 'A'.repeat(22) });

	it('is shown as a failed execution that says to publish again, once an hour, and else put off with 503', async () => {
		expect(await outcomeOf(unknown())).toEqual({
			message: 'A delivery came for a webhook whose secret is not known here',
			description: expect.stringMatching(/Unpublish the workflow and publish it again.*\?ref=/),
		});
		expect(await outcomeOf(unknown())).toBe(503);
		const came = 'A delivery came for a webhook whose secret is not known here. It';
		expect(log).toEqual([
			expect.stringContaining(`${came} is shown as a failed execution`),
			expect.stringContaining(`${came} was answered 503`),
		]);
		expect(await outcomeOf(request(forged))).toEqual(shown);
		expect(await outcomeOf(unknown())).toBe(503);
		now += HOUR;
		expect(await outcomeOf(unknown())).toEqual(shown);
	});

	// docs/troubleshooting.md says how.
	it('is not shown where somebody asks whether the trigger answers', async () => {
		expect(await outcomeOf(request({}, { ref: '', body: '' }))).toBe(503);
		now += DAY;
		expect(await outcomeOf(request({}, { ref: '', body: '' }))).toBe(503);
	});

	it('is sent again by the service', async () => {
		const { url } = trigger.webhooks[0];
		const delivery = { url: url.slice(0, -22) + 'A'.repeat(22) };
		const { status, headers } = await trigger.deliver(delivery);
		expect({ status, retryAfter: headers['retry-after'] }).toEqual({
			status: 500,
			retryAfter: '30',
		});
		expect(await trigger.deliver(delivery)).toMatchObject({ status: 503 });
	});

	it('is put off with 503 once the trigger has verified one, and shown once a day if that goes on for a day', async () => {
		expect(await outcomeOf(request(signed(GENUINE)))).toBe(200);
		const other = () => outcomeOf(request(forged, { ref: 'B'.repeat(22) }));
		expect(await outcomeOf(unknown())).toBe(503);
		now += DAY - 1;
		expect([await outcomeOf(unknown()), await other()]).toEqual([503, 503]);
		now += 1;
		const told = {
			message: 'A delivery came for a webhook whose secret is not known here',
			description: expect.stringMatching(/\?ref=AAAAAA….*for a day or longer.*publish it again/),
		};
		expect([await outcomeOf(unknown()), await outcomeOf(unknown())]).toEqual([told, 503]);
		expect(await other()).toBe(503);
		now += DAY;
		expect(await outcomeOf(unknown())).toEqual(told);
	});

	it('is shown too where what the address ends with does not arrive for a day', async () => {
		expect(await outcomeOf(request(signed(GENUINE)))).toBe(200);
		const without = (ref: string) => outcomeOf(request(forged, { ref }));
		expect(await without('')).toBe(503);
		now += DAY;
		// What is none of ours is not told apart, and not quoted.
		expect(await without(VALUE)).toEqual({
			message: 'A delivery came for a webhook whose secret is not known here',
			description: expect.stringMatching(/without the \?ref=.*A proxy/),
		});
		expect(await without('x'.repeat(5000))).toBe(503);
	});

	it('is put off with 503 while the trigger is being published, as the secret is on its way; only an unsigned check of an address that is just being created is answered 200, with its challenge if that is short', async () => {
		const { harness } = trigger;
		const { parameters } = trigger.served().node;
		const workflow = harness.workflow({ workflowId: randomUUID(), parameters });
		harness.simulator.latencyMs = 1000;
		const publishing = harness.publish(workflow);
		await received(harness.simulator, 1, 'POST');
		const { url } = harness.simulator.requests.at(-1)?.body as StoredWebhook;
		const ref = referenceOf({ url });
		expect(await exchange(workflow, unknown())).toMatchObject({ status: 503 });

		const answerTo = async (body: string, headers = {}) =>
			(await exchange(workflow, request(headers, { ref, body }))).body;
		expect(await answerTo('{"challenge":"a1b2c3"}')).toEqual({ challenge: 'a1b2c3' });
		const long = `{"challenge":"${'a'.repeat(1000)}"}`;
		for (const body of [long, '{"challenge":{"a":1}}', 'not JSON']) {
			expect(await answerTo(body)).toEqual({});
		}
		expect(await answerTo(BODY, signed(GENUINE))).toMatchObject({ status: 503 });

		harness.simulator.latencyMs = 0;
		await publishing;
		harness.simulator.clearRequests();
		for (const delivery of [unknown(), request({}, { ref, body: '{}' })]) {
			await expect(exchange(workflow, delivery)).rejects.toThrow(NodeOperationError);
		}
	});
});

describe('a test', () => {
	it('ends with what is wrong, each time', async () => {
		const test = () => request(forged, { isTest: true });
		for (let time = 0; time < 3; time++) {
			expect(await outcomeOf(test())).toEqual({
				message: 'A delivery for company 00445790 came with a signature that does not match',
				// Of a test, each is shown.
				description: expect.stringMatching(/execute the step again.*: webhook-signature\.$/),
			});
			now += 1000;
		}
	});

	it('is not ended by a delivery of another one, which may be on its way before the answer with its secret', async () => {
		expect(await outcomeOf(request(forged, { isTest: true, ref: 'A'.repeat(22) }))).toBe(503);
	});

	it('takes nothing from a published trigger: neither its failed execution nor its proof', async () => {
		expect(await outcomeOf(request(signed(GENUINE)))).toBe(200);
		expect(await outcomeOf(request(forged, { isTest: true }))).toEqual(shown);
		const [, second] = trigger.webhooks;
		const genuine = request(signed(GENUINE, { webhook: second }), {
			webhook: second,
			isTest: true,
		});
		expect(await outcomeOf(genuine)).toBe(200);
		expect(await outcomeOf(request(forged, { webhook: second }))).toEqual(shown);
	});

	it('shows a repeat too', async () => {
		const delivery = request(signed(GENUINE), { isTest: true });
		for (let time = 0; time < 2; time++) {
			const { result } = await exchange(trigger.served(), delivery);
			expect(result?.workflowData?.flat()).toHaveLength(1);
		}
	});
});
