import { createHmac, randomBytes, randomUUID, timingSafeEqual, type Hmac } from 'node:crypto';

import type { Subscription } from '../nodes/CompanyRegistry/trigger/records/subscription';
import type * as VerifyDelivery from '../nodes/CompanyRegistry/trigger/signatures/verifyDelivery';
import { signDelivery, type SchemeName } from '../test/simulator/signing';
import { built } from './lib/built';
import { microseconds } from './lib/cpuTime';
import type { Figure } from './lib/report';
import { compare, type Comparison } from './lib/rounds';
import { find, knownWebhooks, loaded, storedText } from './lib/state';

const { verifyDelivery } = built<typeof VerifyDelivery>(
	'nodes/CompanyRegistry/trigger/signatures/verifyDelivery',
);

/** The common shapes, each with what a receiver written for it alone has to do. */
const SHAPES = {
	github: ({ body, headers, secret }) =>
		isSame(headers['x-hub-signature-256'].slice(7), 'hex', hmac(secret).update(body)),
	stripe: ({ body, headers, secret }) => {
		const [time, signature] = headers['stripe-signature'].split(',');
		return isSame(
			signature.slice(3),
			'hex',
			hmac(secret)
				.update(`${time.slice(2)}.`)
				.update(body),
		);
	},
	standardWebhooks: ({ body, headers, secret }) => {
		const key = Buffer.from(secret.slice(6), 'base64');
		const before = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;
		const signature = headers['webhook-signature'].slice(3);
		return isSame(signature, 'base64', hmac(key).update(before).update(body));
	},
} satisfies Partial<Record<SchemeName, (sent: Sent) => boolean>>;
type Shape = keyof typeof SHAPES;

const SMALL = 1024;
const LARGE = 100 * 1024;
const MEASURED: Array<{ shape: Shape; size: number }> = [
	{ shape: 'github', size: SMALL },
	{ shape: 'stripe', size: SMALL },
	{ shape: 'standardWebhooks', size: SMALL },
	{ shape: 'github', size: LARGE },
];
/** In microseconds: n8n takes 60 to 80 ms for a delivery. */
const ONE_PERCENT_OF_N8N = 600;
const KNOWN = [1, 10_000];
/** Deliveries that each side goes through again and again: real ones are not in the processor's cache. */
const DIFFERENT = 500;

interface Sent {
	reference: string;
	secret: string;
	body: Buffer;
	headers: Record<string, string>;
	timestamp: number;
}

/**
 * Finding a delivery's secret and verifying its signature, against a bare HMAC with the secret at hand
 * and a comparison in constant time, over as many different deliveries.
 */
export async function measureVerifier({
	rounds,
	count,
}: {
	rounds: number;
	count: number;
}): Promise<Figure[]> {
	const figures: Figure[] = [];
	for (const { shape, size } of MEASURED) {
		const times = size > 10_000 ? Math.ceil(count / 10) : count;
		const ours = KNOWN.map(
			(known) => [known, microseconds(times, ourVerifier(shape, known, size))] as const,
		);
		const results = await compare(
			rounds,
			microseconds(times, bareHmac(shape, size)),
			Object.fromEntries(ours),
		);
		for (const known of KNOWN) {
			const what = `verifying ${size / 1024} KB as ${shape} signs it, ${known} known`;
			figures.push(figure(what, results[known]));
		}
	}
	return figures;
}

function ourVerifier(shape: Shape, known: number, size: number): () => boolean {
	const webhooks = knownWebhooks(known);
	const staticData = loaded(storedText(webhooks));
	const deliveries = sent(shape, size, (index) => webhooks[index % known]);
	let next = 0;
	return () => {
		const { reference, body, headers, timestamp } = deliveries[next++ % deliveries.length];
		const webhook = find(staticData, reference);
		if (webhook === undefined) return false;
		const { secret } = webhook;
		const sent = { rawBody: body, headers, secret, now: timestamp, tolerance: 300 };
		return verifyDelivery(sent).accepted;
	};
}

function bareHmac(shape: Shape, size: number): () => boolean {
	const webhooks = knownWebhooks(DIFFERENT);
	const deliveries = sent(shape, size, (index) => webhooks[index]);
	const verify: (delivery: Sent) => boolean = SHAPES[shape];
	let next = 0;
	return () => verify(deliveries[next++ % deliveries.length]);
}

function hmac(key: string | Buffer): Hmac {
	return createHmac('sha256', key);
}

function isSame(signature: string, encoding: 'hex' | 'base64', expected: Hmac): boolean {
	return timingSafeEqual(Buffer.from(signature, encoding), expected.digest());
}

/** Deliveries to these webhooks, each with a body of its own. */
function sent(shape: Shape, size: number, webhookOf: (index: number) => Subscription): Sent[] {
	return Array.from({ length: DIFFERENT }, (_, index) => {
		const { reference, secret } = webhookOf(index);
		const body = Buffer.from(
			`{"text":"${randomBytes(size).toString('base64')}`.slice(0, size - 2) + '"}',
		);
		const timestamp = Math.floor(Date.now() / 1000);
		const headers = signDelivery(shape, { secret, body, id: randomUUID(), timestamp });
		return { reference, secret, body, headers, timestamp };
	});
}

function figure(what: string, { ours, peer, ratio }: Comparison): Figure {
	return {
		what,
		ours: `${ours.toFixed(1)} µs`,
		peer: `${peer.toFixed(1)} µs (bare HMAC)`,
		ratio,
		target: `≤ ${ONE_PERCENT_OF_N8N} µs, 1 % of what n8n takes`,
		isMet: ours <= ONE_PERCENT_OF_N8N,
	};
}
