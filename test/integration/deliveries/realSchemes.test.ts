// Deliveries signed by the libraries of real senders are taken, and forged ones are not.
import { randomUUID } from 'node:crypto';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { StoredWebhook } from '../../simulator';
import { captureLog } from '../../support/logCapture';
import { realSenders, type Message, type RealSender } from '../../support/realSenders';
import {
	saved,
	startTriggerHarness,
	watching,
	type TriggerHarness,
} from '../../support/triggerHarness';

// Under load this takes far longer than jest allows by itself.
jest.setTimeout(30_000);

const BODY = '{"event":"filing.new","filing":{"type":"AA","title":"Compte annuel é"}}';

let harness: TriggerHarness;
let staticData: IDataObject;
let webhook: StoredWebhook;

beforeAll(async () => {
	harness = await startTriggerHarness();
	const workflow = harness.workflow({ parameters: watching('00445790') });
	await harness.publish(workflow);
	staticData = saved(workflow);
	[webhook] = harness.simulator.webhooks();
	captureLog(workflow);
});
// Three refused in a row would be shown as a failed execution.
beforeEach(async () => {
	serve();
	const genuine = message();
	await send(genuine.body, await realSenders.GitHub.headers(genuine));
});
afterAll(async () => {
	jest.restoreAllMocks();
	await harness.close();
});

function serve(): INodeExecutionData[][] {
	return harness.serve(harness.workflow({ parameters: watching('00445790'), staticData }));
}

function message(changes: Partial<Message> = {}): Message {
	const timestamp = Math.floor(Date.now() / 1000);
	return { secret: webhook.secret, id: randomUUID(), timestamp, body: BODY, ...changes };
}

/** The status that n8n answers a delivery of the real service with. */
async function send(body: string, headers: Record<string, string>): Promise<number> {
	const { ca } = harness.proxy;
	const { status } = await harness.simulator.deliver(webhook.id, {
		sign: false,
		rawBody: body,
		headers,
		ca,
	});
	return status;
}

/** One corruption each; given the genuine message and its headers, what arrives instead. */
type Corruption = (
	sender: RealSender,
	genuine: Message,
	headers: Record<string, string>,
) => Promise<[string, Record<string, string>]>;

function headerChange(
	pick: (sender: RealSender) => string,
	change: (value: string, sender: RealSender) => string,
): Corruption {
	return async (sender, { body }, headers) => {
		const name = pick(sender);
		return [body, { ...headers, [name]: change(headers[name], sender) }];
	};
}

function signedWith(changes: (genuine: Message) => Partial<Message>): Corruption {
	return async (sender, genuine) => [
		genuine.body,
		await sender.headers({ ...genuine, ...changes(genuine) }),
	];
}

const signature = (sender: RealSender) => sender.signatureHeader;

const always: Record<string, Corruption> = {
	'a changed byte in the body': async (_sender, { body }, headers) => [
		body.replace('AA', 'AB'),
		headers,
	],
	'a space at the end of the body': async (_sender, { body }, headers) => [`${body} `, headers],
	'the body written anew': async (_sender, { body }, headers) => [
		JSON.stringify(JSON.parse(body), null, 1),
		headers,
	],
	'an empty body': async (_sender, _genuine, headers) => ['', headers],
	'a changed signature': headerChange(
		signature,
		(value) => value.slice(0, -9) + swapped(value.at(-9)) + value.slice(-8),
	),
	'a signature cut short': headerChange(signature, (value) => value.slice(0, -8)),
	'another prefix': headerChange(signature, (value, { prefix }) =>
		value.replace(prefix, `x${prefix || '='}`),
	),
	'an empty signature': headerChange(signature, () => ''),
	'another secret': signedWith(() => ({
		secret: `whsec_${Buffer.from('x'.repeat(24)).toString('base64')}`,
	})),
};
const whereTimeIsSigned: Record<string, Corruption> = {
	'a stale time': signedWith(({ timestamp }) => ({ timestamp: timestamp - 310 })),
	'a future time': signedWith(({ timestamp }) => ({ timestamp: timestamp + 310 })),
	'a renewed time': async (sender, genuine) => {
		const old = await sender.headers({ ...genuine, timestamp: genuine.timestamp - 310 });
		const renewed = JSON.stringify(old).replace(
			String(genuine.timestamp - 310),
			String(genuine.timestamp),
		);
		return [genuine.body, JSON.parse(renewed)];
	},
};
const whereIdIsSigned: Record<string, Corruption> = {
	'another id': headerChange(
		(sender) => sender.signatureHeader.replace('signature', 'id'),
		() => randomUUID(),
	),
};

function swapped(character = ''): string {
	return character === 'a' ? 'b' : 'a';
}

describe.each(Object.entries(realSenders))('a delivery as %s signs it', (_name, sender) => {
	it('is what its own library takes for genuine', async () => {
		const genuine = message();
		const headers = await sender.headers(genuine);
		await expect(sender.confirm(genuine, headers)).resolves.toBeUndefined();
		const changed = { ...genuine, body: genuine.body.replace('AA', 'AB') };
		await expect(sender.confirm(changed, headers)).rejects.toThrow();
	});

	it('is accepted without any setting', async () => {
		const executions = serve();
		const genuine = message();
		expect(await send(genuine.body, await sender.headers(genuine))).toBe(200);
		expect(executions).toMatchObject([
			[{ json: { event: 'filing.new', payload: JSON.parse(BODY) } }],
		]);
	});

	const corruptions = {
		...always,
		...(sender.signs.time ? whereTimeIsSigned : {}),
		...(sender.signs.id ? whereIdIsSigned : {}),
	};
	it.each(Object.entries(corruptions))('is refused with %s', async (_change, corrupt) => {
		const executions = serve();
		const genuine = message();
		const [body, headers] = await corrupt(sender, genuine, await sender.headers(genuine));
		expect(await send(body, headers)).toBe(401);
		expect(executions).toEqual([]);
	});
});
