import { randomUUID } from 'node:crypto';

import { concurrently } from '../../nodes/CompanyRegistry/shared/async';
import { Sender } from '../../test/simulator/sender';
import { signDelivery } from '../../test/simulator/signing';
import { seconds } from './rounds';

/** Deliveries under way at once, over connections that stay open. */
const SENDERS = 10;
const RETRIES = 5;

/** Where deliveries go and what they are signed with. */
export interface Target {
	url: string;
	secret: string;
}

/**
 * Sends so many different deliveries of about 1 KB, spread over the targets, and answers the seconds
 * until the last answer. Throws when one is not answered with `expected`.
 */
export async function sendDeliveries(
	targets: Target[],
	count: number,
	expected: number,
): Promise<number> {
	// Signed before the clock starts: both sides get the same headers.
	const deliveries = Array.from({ length: count }, (_, index) =>
		prepare(targets[index % targets.length]),
	);
	// New connections each time: n8n closes those that rest for 5 seconds.
	const sender = new Sender();
	try {
		return await seconds(async () => {
			await concurrently(deliveries, SENDERS, async ({ url, headers, body }) => {
				let { status, body: answer } = await sender.post(url, headers, body);
				// A busy n8n fails one now and then; senders come again, and the clock runs on.
				for (let retry = 0; status >= 500 && retry < RETRIES; retry++) {
					({ status, body: answer } = await sender.post(url, headers, body));
				}
				if (status !== expected)
					throw new Error(`A delivery was answered ${status}, not ${expected}: ${answer}`);
			});
		});
	} finally {
		sender.close();
	}
}

function prepare({ url, secret }: Target) {
	const id = randomUUID();
	const body = Buffer.from(
		JSON.stringify({
			id,
			event: 'filing.new',
			created_at: new Date().toISOString(),
			data: 'x'.repeat(900),
		}),
	);
	const timestamp = Math.floor(Date.now() / 1000);
	const signature = signDelivery('github', { secret, body, id, timestamp });
	const headers = {
		'content-type': 'application/json',
		'x-github-event': 'filing.new',
		...signature,
	};
	return { url, headers, body };
}
