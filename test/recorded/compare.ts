import { isEqual } from 'lodash';

import type { DeliveryRequest, Simulator } from '../simulator';
import { startTlsProxy } from '../simulator/tlsProxy';
import { freePort } from '../n8n-host/ports';
import { record, type Recording } from './record';
import { kindsIn } from './shapes';

/** Records the stand-in, with one delivery as it sends them by itself, or like this. */
export async function recordStandIn(
	simulator: Simulator,
	company: string,
	delivery: DeliveryRequest = {},
): Promise<Recording> {
	const port = await freePort();
	const proxy = await startTlsProxy({ targetPort: port });
	const { url: baseUrl, apiKey } = simulator;
	const isCreated = () => simulator.webhooks().find(({ is_active }) => is_active);
	try {
		return await record({
			...{ baseUrl, apiKey, publicUrl: proxy.url, port, company, waitMs: 30_000 },
			log(line) {
				const webhook = isCreated();
				if (line.startsWith('Waiting') && webhook) {
					void simulator.deliver(webhook.id, { ca: proxy.ca, ...delivery });
				}
			},
		});
	} finally {
		await proxy.close();
	}
}

/**
 * Where the stand-in does otherwise than the service was seen to do: a line for each answer or delivery whose
 * status, type, fields or headers differ. Values are not compared.
 */
export function differences(service: Recording, standIn: Recording): string[] {
	const told: string[] = [];
	const compare = (what: string, seen: unknown, made: unknown) => {
		if (isEqual(seen, made)) return;
		told.push(`${what}: the service ${JSON.stringify(seen)}, the stand-in ${JSON.stringify(made)}`);
	};
	service.exchanges.forEach(({ request, answer }, index) => {
		const { method, path } = request;
		const made = standIn.exchanges[index].answer;
		compare(`${method} ${path}, status`, answer.status, made.status);
		compare(`${method} ${path}, type`, answer.contentType, made.contentType);
		compare(`${method} ${path}, answer`, kindsIn(answer.body), kindsIn(made.body));
	});
	const { delivery } = service;
	if (delivery) {
		compare('a delivery, headers', delivery.headers, standIn.delivery?.headers);
		compare('a delivery, signed', delivery.signed, standIn.delivery?.signed);
		compare('a delivery, body', kindsIn(delivery.body), kindsIn(standIn.delivery?.body));
	}
	return told;
}
