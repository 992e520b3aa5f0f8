import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { waitFor } from '../test/n8n-host/waitFor';
import { sendDeliveries, type Target } from './lib/deliveries';
import { startBenchN8n, type BenchN8n } from './lib/n8n';
import { publishBoth, publishGithub } from './lib/published';
import type { Figure } from './lib/report';
import { median, shuffled } from './lib/rounds';

const MEGABYTE = 2 ** 20;
const MOST_MEGABYTES = 20;
const probe = join(__dirname, 'lib', 'memoryProbe.cjs');
const memoryFile = join(tmpdir(), `bench-memory-${process.pid}.json`);
/**
 * glibc keeps freed memory for later, in an arena for each thread and with thresholds that it moves as it
 * goes: tens of megabytes that differ from run to run and hide what is asked for here. With these it gives
 * back what it can.
 */
const GIVE_BACK = {
	MALLOC_ARENA_MAX: '1',
	MALLOC_MMAP_THRESHOLD_: '131072',
	MALLOC_TRIM_THRESHOLD_: '131072',
};
const LEGACY = { N8N_EXPRESSION_ENGINE: 'legacy' };
const SMALL_HEAP = 512;

/** Megabytes. */
interface Usage {
	/** After garbage collection. */
	resident: number;
	heap: number;
	/** Garbage included. */
	uncollected: number;
}

/**
 * What n8n takes that has published many companies and taken deliveries for them, against one that has
 * taken as many at its own GitHub Trigger: once with that trigger alone, once with both in one workflow,
 * so that n8n reads as much for a delivery to either. And the same without the isolated engine that n8n
 * makes for each delivery, and with a smaller heap.
 */
export async function measureMemory(options: {
	rounds: number;
	companies: number;
	count: number;
}): Promise<Figure[]> {
	const { rounds, companies, count } = options;
	const registry = async (n8n: BenchN8n) => (await publishBoth(n8n, companies)).registry;
	const github = async (n8n: BenchN8n) => (await publishBoth(n8n, companies)).github;
	const looks = {
		ours: async () => await usageAfter(count, registry),
		alone: async () => await usageAfter(count, publishGithub),
		beside: async () => await usageAfter(count, github),
		oursLegacy: async () => await usageAfter(count, registry, { env: LEGACY }),
		aloneLegacy: async () => await usageAfter(count, publishGithub, { env: LEGACY }),
		oursSmall: async () =>
			await usageAfter(count, registry, { flags: `--max-old-space-size=${SMALL_HEAP}` }),
	};
	type Look = keyof typeof looks;
	const names = Object.keys(looks) as Look[];
	const usages = Object.fromEntries(names.map((name) => [name, [] as Usage[]])) as Record<
		Look,
		Usage[]
	>;
	for (let round = 0; round < rounds; round++) {
		for (const name of shuffled(names)) usages[name].push(await looks[name]());
	}

	const middle = (look: Look, kind: keyof Usage) =>
		median(usages[look].map((usage) => usage[kind]));
	const shown = (
		kind: keyof Usage,
		what: string,
		ours: Look,
		peer: Look,
		peerName: string,
	): Figure => ({
		what: `${what}, ${companies} companies, ${count} deliveries`,
		ours: `${middle(ours, kind).toFixed(0)} MB`,
		peer: `${middle(peer, kind).toFixed(0)} MB (${peerName})`,
		target: '',
		isMet: true,
	});
	const bounded = (
		kind: keyof Usage,
		what: string,
		ours: Look,
		peer: Look,
		peerName: string,
	): Figure => ({
		...shown(kind, what, ours, peer, peerName),
		target: `≤ ${MOST_MEGABYTES} MB more`,
		isMet: middle(ours, kind) - middle(peer, kind) <= MOST_MEGABYTES,
	});
	const peer = 'GitHub Trigger';
	const peerBeside = 'GitHub Trigger in the same workflow';
	const garbage = 'memory with garbage';
	return [
		bounded('resident', 'resident memory', 'ours', 'alone', peer),
		bounded('resident', 'resident memory', 'ours', 'beside', peerBeside),
		bounded(
			'resident',
			'resident memory, N8N_EXPRESSION_ENGINE=legacy',
			'oursLegacy',
			'aloneLegacy',
			peer,
		),
		bounded('heap', 'JavaScript heap', 'ours', 'alone', peer),
		shown('uncollected', garbage, 'ours', 'alone', peer),
		shown('uncollected', garbage, 'ours', 'beside', peerBeside),
		shown(
			'uncollected',
			`${garbage}, --max-old-space-size=${SMALL_HEAP}`,
			'oursSmall',
			'ours',
			'without that flag',
		),
	];
}

async function usageAfter(
	count: number,
	publish: (n8n: BenchN8n) => Promise<Target[]>,
	{ env = {}, flags = '' }: { env?: Record<string, string>; flags?: string } = {},
): Promise<Usage> {
	const n8n = await startBenchN8n({
		NODE_OPTIONS: `--require ${probe} ${flags}`,
		BENCH_MEMORY_FILE: memoryFile,
		...GIVE_BACK,
		...env,
	});
	try {
		await sendDeliveries(await publish(n8n), count, 200);
		await n8n.untilIdle();
		rmSync(memoryFile, { force: true });
		n8n.host.signal('SIGUSR2');
		await waitFor(
			'a look at the memory',
			() => existsSync(memoryFile) && readFileSync(memoryFile).length > 0,
		);
		const { before, after } = JSON.parse(readFileSync(memoryFile, 'utf8'));
		return {
			resident: after.rss / MEGABYTE,
			heap: after.heapUsed / MEGABYTE,
			uncollected: before.rss / MEGABYTE,
		};
	} finally {
		rmSync(memoryFile, { force: true });
		await n8n.stop();
	}
}
