import { countBy, map, omit } from 'lodash';

import { rejectionOf } from '../../nodes/CompanyRegistry/shared/async';
import { waitFor } from '../n8n-host/waitFor';
import { startSimulator, type Fault, type Simulator, type StoredWebhook } from '../simulator';

/** A simulator with what tests ask of it, and what they do to its webhooks. */
export type Service = ReturnType<typeof serviceOf>;

export async function startService(): Promise<Service> {
	return serviceOf(await startSimulator());
}

export function serviceOf(simulator: Simulator) {
	const active = () => simulator.webhooks().filter(({ is_active }) => is_active);
	const watched = () => companiesOf(active());
	const methods = () => map(simulator.requests, 'method');
	return Object.assign(simulator, {
		/** Of all accounts' webhooks those that deliver. */
		active,
		/** Companies of those that deliver, sorted. */
		watched,
		ids: () => map(simulator.webhooks(), 'id'),
		/** In the order in which they came. */
		methods,
		/** How often each method was called. */
		counts: (): Record<string, number> => countBy(methods()),
		/** Waits until the service has received so many requests, of one method if that is given. */
		async received(count: number, method?: string): Promise<void> {
			const those = () => methods().filter((one) => method === undefined || one === method);
			const areReceived = () => those().length >= count;
			await waitFor(`${count} requests`, areReceived, { timeoutMs: 25_000, everyMs: 5 });
		},
		/** From now on it refuses to create webhooks of these companies, in these words. */
		refuse(companies: string[], status = 422, message = 'Refused'): void {
			simulator.fault({
				method: 'POST',
				times: Infinity,
				when: ({ body }) => companies.includes(companyIn(body)),
				action: { status, body: { error: 'refused', message, status } },
			});
		},
		/** Someone else changes the webhooks of these companies; of all companies unless some are given. */
		drift(changes: Partial<StoredWebhook> | 'remove', companies = watched()): void {
			for (const webhook of simulator.webhooks()) {
				if (!companies.includes(webhook.company_number)) continue;
				if (changes === 'remove') simulator.forgetWebhook(webhook.id);
				else simulator.restoreWebhook({ ...webhook, ...changes });
			}
		},
		/** Its next list shows these webhooks with their URLs. */
		listWithUrls(): void {
			const data = simulator.webhooks().map((one) => omit(one, ['secret', 'account']));
			simulator.fault({ method: 'GET', action: { status: 200, body: { data } } });
		},
	});
}

/** A simulator for each test of this file or group, which is closed after it; stands for the one of the current test. */
export function serviceForEachTest(): Service {
	let current: Service;
	beforeEach(async () => {
		current = await startService();
	});
	afterEach(async () => {
		jest.restoreAllMocks();
		await current.close();
	});
	return new Proxy({} as Service, {
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

/** Sorted. */
export function companiesOf(webhooks: StoredWebhook[]): string[] {
	return map(webhooks, 'company_number').sort();
}

/** What a publish says when it fails. */
export async function failureOf(publish: Promise<unknown>): Promise<string> {
	const error = (await rejectionOf(publish)) as Error | undefined;
	return error?.message ?? 'It did not fail';
}
