// The simulated service in a process of its own, so that the work it does is not measured with ours.
import { fork } from 'node:child_process';
import { once } from 'node:events';

import {
	startSimulator,
	type RateLimit,
	type RecordedRequest,
	type SimulatorOptions,
	type StoredWebhook,
} from '../../test/simulator';

/** What the parent may ask for; each is answered with the state after it. */
interface Order {
	latencyMs?: number;
	rateLimit?: RateLimit | null;
	clear?: boolean;
}

export interface SimulatorState {
	url: string;
	apiKey: string;
	/** Requests since the last `clear`, by method. */
	requests: Record<string, number>;
	/** From the first of them to the last. */
	seconds: number;
	/** Seconds for which webhooks were paused since then, of all webhooks together. */
	unwatchedSeconds: number;
	/** Answers of 429 since then. */
	rateLimited: number;
	/** Every webhook, as the service knows it. */
	webhooks: Array<Pick<StoredWebhook, 'id' | 'company_number' | 'url' | 'secret' | 'is_active'>>;
}

export interface SimulatorProcess extends Pick<SimulatorState, 'url' | 'apiKey'> {
	order(order: Order): Promise<SimulatorState>;
	close(): Promise<void>;
}

export async function startSimulatorProcess(
	options: SimulatorOptions = {},
): Promise<SimulatorProcess> {
	const child = fork(__filename, { execArgv: ['--import', 'tsx'] });
	const order = async (next: Order): Promise<SimulatorState> => {
		child.send(next);
		const [state] = await once(child, 'message');
		return state as SimulatorState;
	};
	const { url, apiKey } = await order(options);
	return {
		url,
		apiKey,
		order,
		async close() {
			const ended = once(child, 'exit');
			child.disconnect();
			await ended;
		},
	};
}

async function serve(): Promise<void> {
	const simulator = await startSimulator();
	process.on('message', ({ latencyMs, rateLimit, clear }: Order) => {
		if (latencyMs !== undefined) simulator.latencyMs = latencyMs;
		if (rateLimit !== undefined) simulator.rateLimit(rateLimit);
		if (clear) simulator.clearRequests();
		const requests: Record<string, number> = {};
		for (const { method } of simulator.requests) requests[method] = (requests[method] ?? 0) + 1;
		const rateLimited = simulator.requests.filter(({ status }) => status === 429).length;
		const { url, apiKey } = simulator;
		const webhooks = simulator.webhooks().map(({ id, company_number, url, secret, is_active }) => ({
			id,
			company_number,
			url,
			secret,
			is_active,
		}));
		const [first, last] = [simulator.requests.at(0), simulator.requests.at(-1)];
		const seconds = first && last ? (last.at - first.at) / 1000 : 0;
		const unwatchedSeconds = pausedSeconds(simulator.requests);
		const state: SimulatorState = {
			url,
			apiKey,
			requests,
			seconds,
			unwatchedSeconds,
			rateLimited,
			webhooks,
		};
		process.send?.(state);
	});
	process.on('disconnect', () => void simulator.close());
}

/** From each request that pauses a webhook to the one that resumes it, or to now. */
function pausedSeconds(requests: RecordedRequest[]): number {
	const pausedSince = new Map<string, number>();
	let milliseconds = 0;
	for (const { method, path, body, at } of requests) {
		const { is_active: isActive } = (body ?? {}) as { is_active?: boolean };
		if (method !== 'PATCH' || isActive === undefined) continue;
		const since = pausedSince.get(path);
		if (!isActive && since === undefined) pausedSince.set(path, at);
		if (isActive && since !== undefined) {
			milliseconds += at - since;
			pausedSince.delete(path);
		}
	}
	for (const since of pausedSince.values()) milliseconds += Date.now() - since;
	return milliseconds / 1000;
}

if (require.main === module) void serve();
