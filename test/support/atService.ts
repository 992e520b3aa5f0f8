import { countBy, omit } from 'lodash';

import { waitFor } from '../n8n-host/waitFor';
import {
	startSimulator,
	type Fault,
	type RecordedRequest,
	type Simulator,
	type SimulatorOptions,
	type StoredWebhook,
} from '../simulator';

type Stand = Pick<Simulator, 'webhooks' | 'requests'>;

/** A stand-in for each test of this file or group, which is closed after it; stands for the one of the current test. */
export function serviceForEachTest(options?: SimulatorOptions): Simulator {
	let current: Simulator;
	beforeEach(async () => {
		current = await startSimulator(options);
	});
	afterEach(async () => {
		jest.restoreAllMocks();
		await current.close();
	});
	return new Proxy({} as Simulator, {
		get: (_target, key) => Reflect.get(current, key) as unknown,
		set: (_target, key, value) => Reflect.set(current, key, value),
	});
}

/** Requests that pause a webhook, and those that make one active: for faults, and to look for them. */
export const PAUSES = {
	method: 'PATCH',
	when: ({ body }: { body: unknown }) => activityIn(body) === false,
} satisfies Partial<Fault>;
export const RESUMES = {
	method: 'PATCH',
	when: ({ body }: { body: unknown }) => activityIn(body) === true,
} satisfies Partial<Fault>;

function activityIn(body: unknown): unknown {
	return (body as { is_active?: unknown } | undefined)?.is_active;
}

export function companyIn(body: unknown): string {
	return String((body as { company_number?: unknown } | undefined)?.company_number ?? '');
}

/** From now on the service refuses to create webhooks of these companies, in these words. */
export function refuse(
	simulator: Simulator,
	companies: string[],
	status = 422,
	message = 'Refused',
): void {
	simulator.fault({
		method: 'POST',
		times: Infinity,
		when: ({ body }) => companies.includes(companyIn(body)),
		action: { status, body: { error: 'refused', message, status } },
	});
}

/** Of all accounts' webhooks those that deliver. */
export function active(simulator: Stand): StoredWebhook[] {
	return simulator.webhooks().filter(({ is_active }) => is_active);
}

/** Companies of those that deliver, sorted. */
export function watched(simulator: Stand): string[] {
	return companiesOf(active(simulator));
}

/** Sorted. */
export function companiesOf(webhooks: StoredWebhook[]): string[] {
	return webhooks.map(({ company_number }) => company_number).sort();
}

export function ids(simulator: Stand): string[] {
	return simulator.webhooks().map(({ id }) => id);
}

/** In the order in which they came. */
export function methods(simulator: Stand): string[] {
	return simulator.requests.map(({ method }) => method);
}

/** How often each method was called. */
export function counts(simulator: Stand): Record<string, number> {
	return countBy(methods(simulator));
}

/** Waits until the service has received so many requests, of one method if that is given. */
export async function received(simulator: Stand, count: number, method?: string): Promise<void> {
	const isMeant = (request: RecordedRequest) => method === undefined || request.method === method;
	const areReceived = () => simulator.requests.filter(isMeant).length >= count;
	await waitFor(`${count} requests`, areReceived, { timeoutMs: 25_000, everyMs: 5 });
}

/** What a publish says when it fails. */
export async function failureOf(publish: Promise<unknown>): Promise<string> {
	return await publish.then(
		() => 'It did not fail',
		(error: Error) => error.message,
	);
}

/** Someone else changes the webhooks of these companies at the service; of all companies unless some are given. */
export function drift(
	simulator: Simulator,
	changes: Partial<StoredWebhook> | 'remove',
	companies = watched(simulator),
): void {
	for (const webhook of simulator.webhooks()) {
		if (!companies.includes(webhook.company_number)) continue;
		if (changes === 'remove') simulator.forgetWebhook(webhook.id);
		else simulator.restoreWebhook({ ...webhook, ...changes });
	}
}

/** The service lists these webhooks with their URLs, so many times. */
export function listWithUrls(simulator: Simulator, times = 1): void {
	const data = simulator.webhooks().map((one) => omit(one, ['secret', 'account']));
	simulator.fault({ method: 'GET', times, action: { status: 200, body: { data } } });
}
