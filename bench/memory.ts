import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { waitFor } from '../test/n8n-host/waitFor';
import { sendDeliveries, type Target } from './lib/deliveries';
import { startBenchN8n, type BenchN8n } from './lib/n8n';
import { publishBoth, publishGithub } from './lib/published';
import type { Figure } from './lib/report';
import { median } from './lib/rounds';

const MEGABYTE = 2 ** 20;
const MOST_MEGABYTES = 20;
const probe = join(__dirname, 'lib', 'memoryProbe.cjs');
/**
 * With an arena for each thread, glibc keeps freed memory in places that differ from run to run, tens of
 * megabytes of it: that hides what is asked for here.
 */
const ONE_ARENA = { MALLOC_ARENA_MAX: '1' };
const memoryFile = join(tmpdir(), `bench-memory-${process.pid}.json`);

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
 * so that n8n reads as much for a delivery to either.
 */
export async function measureMemory(options: { rounds: number; companies: number; count: number }): Promise<Figure[]> {
	const { rounds, companies, count } = options;
	const usages: Record<'ours' | 'alone' | 'beside', Usage[]> = { ours: [], alone: [], beside: [] };
	for (let round = 0; round < rounds; round++) {
		usages.alone.push(await usageAfter(count, publishGithub));
		usages.ours.push(await usageAfter(count, async (n8n) => (await publishBoth(n8n, companies)).registry));
		usages.beside.push(await usageAfter(count, async (n8n) => (await publishBoth(n8n, companies)).github));
	}
	const middle = (whose: keyof typeof usages, kind: keyof Usage) =>
		median(usages[whose].map((usage) => usage[kind]));
	const shown = (kind: keyof Usage, what: string, peer: 'alone' | 'beside'): Figure => ({
		what: `${what}, ${companies} companies, ${count} deliveries`,
		ours: `${middle('ours', kind).toFixed(0)} MB`,
		peer: `${middle(peer, kind).toFixed(0)} MB (GitHub Trigger${peer === 'beside' ? ' in the same workflow' : ''})`,
		target: '',
		isMet: true,
	});
	const bounded = (kind: keyof Usage, what: string, peer: 'alone' | 'beside'): Figure => ({
		...shown(kind, what, peer),
		target: `≤ ${MOST_MEGABYTES} MB more`,
		isMet: middle('ours', kind) - middle(peer, kind) <= MOST_MEGABYTES,
	});
	return [
		bounded('resident', 'resident memory', 'alone'),
		bounded('resident', 'resident memory', 'beside'),
		bounded('heap', 'JavaScript heap', 'alone'),
		shown('uncollected', 'resident memory with garbage', 'alone'),
		shown('uncollected', 'resident memory with garbage', 'beside'),
	];
}

async function usageAfter(count: number, publish: (n8n: BenchN8n) => Promise<Target[]>): Promise<Usage> {
	const n8n = await startBenchN8n({
		NODE_OPTIONS: `--require ${probe}`,
		BENCH_MEMORY_FILE: memoryFile,
		...ONE_ARENA,
	});
	try {
		await sendDeliveries(await publish(n8n), count, 200);
		await n8n.untilIdle();
		rmSync(memoryFile, { force: true });
		n8n.host.signal('SIGUSR2');
		await waitFor('a look at the memory', () => existsSync(memoryFile) && readFileSync(memoryFile).length > 0);
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
