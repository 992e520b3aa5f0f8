import { randomBytes } from 'node:crypto';

import { concurrently } from '../../../nodes/CompanyRegistry/shared/async';
import { answers, type N8nHost } from '../../n8n-host/n8nProcess';
import { waitFor } from '../../n8n-host/waitFor';
import type { Simulator, StoredWebhook } from '../../simulator';

/** Deliveries under way to one process at once. */
const SENDERS = 8;

interface PlannedDelivery {
	deliveryId: string;
	webhook: StoredWebhook;
	/** Which webhook process it is sent to. */
	process: 0 | 1;
	isGenuine: boolean;
}

/** That many different ones, to both processes in turn. */
export function planDeliveries(
	webhooks: StoredWebhook[],
	kind: string,
	count: number,
): PlannedDelivery[] {
	return Array.from({ length: count }, (_, index) => ({
		deliveryId: `${kind}-${index}`,
		webhook: webhooks[index % webhooks.length],
		process: index % 2 === 0 ? 0 : 1,
		isGenuine: kind !== 'forgery',
	}));
}

/**
 * Sends each delivery to its process, again while that is not there or answers a 5xx, as the service
 * does. `onProgress` hears how many have their answer.
 */
export async function sendAll(
	simulator: Simulator,
	processes: [N8nHost, N8nHost],
	deliveries: PlannedDelivery[],
	onProgress?: (answered: number) => void,
) {
	const answered: Array<PlannedDelivery & { status: number }> = [];
	const queues = processes.map(async (host, process) => {
		const own = deliveries.filter((delivery) => delivery.process === process);
		await concurrently(own, SENDERS, async (planned) => {
			answered.push({ ...planned, status: await sendUntilTaken(simulator, host, planned) });
			onProgress?.(answered.length);
		});
	});
	await Promise.all(queues);
	return answered;
}

async function sendUntilTaken(
	simulator: Simulator,
	{ url }: N8nHost,
	{ webhook, deliveryId, isGenuine }: PlannedDelivery,
): Promise<number> {
	const { pathname, search } = new URL(webhook.url);
	return await waitFor(
		`an answer to ${deliveryId}`,
		async () => {
			// As the proxy in front has to ask: n8n answers 404 or even 200 before it knows any webhook.
			if (!(await answers(`${url}/healthz/readiness`))) return undefined;
			const answer = await simulator
				.deliver(webhook.id, {
					url: `${url}${pathname}${search}`,
					deliveryId,
					// A repeat has the same body.
					payload: { event: webhook.events[0], company_number: webhook.company_number },
					...(isGenuine ? {} : { secret: `whsec_${randomBytes(24).toString('base64')}` }),
				})
				// The process was killed while it had the delivery in hand.
				.catch(() => undefined);
			return answer && answer.status < 500 && answer.status;
		},
		{ timeoutMs: 180_000, everyMs: 250 },
	);
}
