import { sendDeliveries } from './lib/deliveries';
import { startBenchN8n } from './lib/n8n';
import { publishRegistry } from './lib/published';
import type { Figure } from './lib/report';
import { compare } from './lib/rounds';

/** Settings of n8n that change what it does for each delivery, against n8n as it comes. */
const SETTINGS: Record<string, string> = {
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
	N8N_EXPRESSION_ENGINE: 'legacy',
};

/**
 * Deliveries per second through n8n with other settings of its expression engine. n8n 2.40 makes an
 * isolated JavaScript engine for each delivery, of which this package needs nothing.
 */
export async function measureExpressionEngine(options: {
	rounds: number;
	companies: number;
	count: number;
}): Promise<Figure[]> {
	const { rounds, companies, count } = options;
	const started: Array<Awaited<ReturnType<typeof startBenchN8n>>> = [];
	const measureWith = async (env: Record<string, string>) => {
		const n8n = await startBenchN8n(env);
		started.push(n8n);
		const targets = await publishRegistry(n8n, companies);
		return async () => {
			const seconds = await sendDeliveries(targets, count, 200);
			await n8n.untilIdle();
			return count / seconds;
		};
	};
	try {
		const asItComes = await measureWith({});
		const others: Array<[string, () => Promise<number>]> = [];
		for (const [name, value] of Object.entries(SETTINGS)) {
			others.push([`${name}=${value}`, await measureWith({ [name]: value })]);
		}
		const results = await compare(rounds, asItComes, Object.fromEntries(others));
		return Object.entries(results).map(([setting, { ours, peer, ratio }]) => ({
			what: `accepted deliveries/s, watching ${companies}, ${setting}`,
			ours: ours.toFixed(0),
			peer: `${peer.toFixed(0)} (n8n as it comes)`,
			ratio,
			target: '',
			isMet: true,
		}));
	} finally {
		for (const n8n of started) await n8n.stop();
	}
}
