import { sendDeliveries, type Target } from './lib/deliveries';
import { startBenchN8n, type BenchN8n } from './lib/n8n';
import { publishGithub, publishRegistry } from './lib/published';
import { atLeast, type Figure } from './lib/report';
import { compare, shuffled, type Measure } from './lib/rounds';

const MOST_MEGABYTES = 100;
/** After each round: what is garbage by then is cleared away in some of them. */
const LOOKS = 5;

/**
 * Many workflows in one process, each of many companies, against as many with n8n's own GitHub Trigger in
 * another: deliveries per second to any of them, and the memory that they keep.
 */
export async function measureManyWorkflows({
	rounds,
	workflows,
	companies,
	count,
}: {
	rounds: number;
	workflows: number;
	companies: number;
	count: number;
}): Promise<Figure[]> {
	// Read from n8n's own metrics.
	const env = { N8N_METRICS: 'true' };
	const hosts: BenchN8n[] = [];
	const start = async () => {
		// Without room in which garbage could stay.
		const n8n = await startBenchN8n(env, []);
		hosts.push(n8n);
		return n8n;
	};
	try {
		const [theirs, ours] = [await start(), await start()];
		const github: Target[] = [];
		const registry: Target[] = [];
		for (let n = 0; n < workflows; n++) {
			github.push(...(await publishGithub(theirs)));
			registry.push(...(await publishRegistry(ours, companies, n * companies)));
		}
		const [least, accept, refuse] = [new Map<BenchN8n, number>(), 200, 401];
		const send = (n8n: BenchN8n, targets: Target[], expected: number): Measure => {
			return async () => {
				const sent = shuffled(targets).slice(0, count);
				const forged = sent.map(({ url }) => ({ url, secret: 'not-the-secret' }));
				const seconds = await sendDeliveries(expected === accept ? sent : forged, count, expected);
				await n8n.untilIdle();
				for (let look = 0; look < LOOKS; look++) {
					const megabytes = await keptMegabytes(n8n);
					least.set(n8n, Math.min(megabytes, least.get(n8n) ?? Infinity));
				}
				return count / seconds;
			};
		};
		const what = `${workflows} workflows of ${companies}`;
		const figures: Figure[] = [];
		for (const [name, expected] of [
			['accepted deliveries/s', accept],
			['forged deliveries refused/s', refuse],
		] as const) {
			const peer = send(theirs, github, expected);
			const { many } = await compare(rounds, peer, { many: send(ours, registry, expected) });
			figures.push({
				what: `${name}, ${what}`,
				ours: many.ours.toFixed(1),
				peer: `${many.peer.toFixed(1)} (${workflows} GitHub Triggers)`,
				...atLeast(expected === accept ? 1 : 0.95, many.ratio),
			});
		}
		const [own, peer] = [ours, theirs].map((n8n) => least.get(n8n) ?? NaN);
		return [
			...figures,
			{
				what: `MB kept, ${what}`,
				ours: own.toFixed(0),
				peer: `${peer.toFixed(0)} (${workflows} GitHub Triggers)`,
				target: `≤ ${MOST_MEGABYTES} more`,
				isMet: own - peer <= MOST_MEGABYTES,
			},
		];
	} finally {
		for (const n8n of hosts) await n8n.stop();
	}
}

/** Of V8's heap, what has outlived the young objects. */
async function keptMegabytes({ host }: BenchN8n): Promise<number> {
	const metrics = await (await fetch(`${host.url}/metrics`)).text();
	const used = metrics.matchAll(
		/^n8n_nodejs_heap_space_size_used_bytes\{space="(?:old|large_object)"[^}]*\} ([\d.e+]+)$/gm,
	);
	return [...used].reduce((sum, [, bytes]) => sum + Number(bytes), 0) / 2 ** 20;
}
