import { setTimeout as sleep } from 'node:timers/promises';

import { TIMES } from '../../nodes/CompanyRegistry/trigger/lifecycle/schedule';
import { waitFor } from '../n8n-host/waitFor';
import { startSimulator } from '../simulator';
import type { Cleanups } from '../n8n-host/cleanups';
import { behindProxy, openAddress } from '../n8n-host/publicAddress';
import { sendEventsOnEnter } from './video';

/** Until the trigger begins, and two requests, on a slow machine too. */
const PAUSING_MS = TIMES.beforePausing + 15_000;

/** The registry service as the demo uses it: the stand-in or the real one. */
export interface Registry {
	name: string;
	baseUrl: string;
	apiKey: string;
	/** Answers the https address, without a trailing slash, under which it reaches our n8n, and what n8n is told of it. */
	reach(n8nPort: number): Promise<{ url: string; env: Record<string, string> }>;
	/** Has an event delivered where that can be had; says what to wait for where it cannot. */
	causeEvent(): Promise<void>;
	/** Lets the user send events to published workflows. The real service has no way to do that. */
	offerEvents?(): void;
	/** Waits for what unpublishing does after n8n has answered. */
	waitUntilPaused(): Promise<void>;
}

/**
 * The real service when the environment names one, else the stand-in.
 * Throws when what the real service needs is missing.
 */
export async function openRegistry(cleanups: Cleanups): Promise<Registry> {
	const { COMPANY_REGISTRY_BASE_URL: baseUrl, COMPANY_REGISTRY_API_KEY: apiKey } = process.env;
	if (!baseUrl && !apiKey) return await standIn(cleanups);
	if (!baseUrl || !apiKey) {
		throw new Error(
			'Set both COMPANY_REGISTRY_BASE_URL and COMPANY_REGISTRY_API_KEY to use the real service, or neither to use the stand-in.',
		);
	}
	return realService(baseUrl, apiKey);
}

async function standIn(cleanups: Cleanups): Promise<Registry> {
	const simulator = await startSimulator();
	cleanups.add('stop the stand-in', async () => await simulator.close());
	let ca: string;
	return {
		name: 'a stand-in that runs here',
		baseUrl: simulator.url,
		apiKey: simulator.apiKey,
		async reach(n8nPort) {
			const address = await openAddress(cleanups, n8nPort);
			({ ca } = address);
			return address;
		},
		async causeEvent() {
			const webhook = await waitFor('the webhook at the stand-in', () =>
				simulator.webhooks().find(({ is_active }) => is_active),
			);
			const [destination] = webhook.url.split('?');
			console.log(`Subscribed: webhook ${webhook.id} sends ${webhook.events} to ${destination}`);
			const delivery = { event: 'filing.new', ca };
			const { status, deliveryId } = await simulator.deliver(webhook.id, delivery);
			console.log(
				`Delivered: filing.new, signed, over https; n8n ${status === 200 ? 'verified it and ' : ''}answered ${status} to ${deliveryId}`,
			);
			if (status !== 200) throw new Error(`n8n refused the delivery with status ${status}.`);
		},
		offerEvents() {
			console.log('\nn8n has a credential for the stand-in.');
			sendEventsOnEnter(simulator, ca, cleanups);
		},
		async waitUntilPaused() {
			await waitFor('the webhook to be paused', () =>
				simulator.webhooks().every(({ is_active }) => !is_active),
			);
		},
	};
}

function realService(baseUrl: string, apiKey: string): Registry {
	const url = process.env.N8N_WEBHOOK_URL?.replace(/\/+$/, '');
	if (!url?.startsWith('https://')) {
		throw new Error(
			'The real service delivers to a public https address. Set N8N_WEBHOOK_URL to one that leads to this n8n (a tunnel or a reverse proxy), for example N8N_WEBHOOK_URL=https://n8n.example.com/',
		);
	}
	return {
		name: 'the real service',
		baseUrl,
		apiKey,
		async reach(n8nPort) {
			console.log(`${url} has to lead to http://localhost:${n8nPort} now.`);
			return { url, env: behindProxy(url) };
		},
		async causeEvent() {
			console.log(
				'Waiting for the service to send an event, for up to 10 minutes: nothing here can make it send one.',
			);
		},
		async waitUntilPaused() {
			// The account may have other active webhooks, and its list does not say which are whose.
			await sleep(PAUSING_MS);
		},
	};
}
