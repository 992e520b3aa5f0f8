import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { waitFor } from '../test/n8n-host/waitFor';
import { sendDeliveries, type Target } from './lib/deliveries';
import { startBenchN8n, type BenchN8n } from './lib/n8n';
import { publishGithub, publishRegistry } from './lib/published';
import type { Figure } from './lib/report';
import { median } from './lib/rounds';

const MEGABYTE = 2 ** 20;
const MOST_MEGABYTES = 20;
const probe = join(__dirname, 'lib', 'memoryProbe.cjs');
const memoryFile = join(tmpdir(), `bench-memory-${process.pid}.json`);

interface Usage {
	resident: number;
	heap: number;
}

/**
 * What n8n holds after garbage collection when it watches many companies and has taken deliveries for
 * them, against a new n8n that has taken as many at its own GitHub Trigger and watches none.
 */
export async function measureMemory(options: { rounds: number; companies: number; count: number }): Promise<Figure[]> {
	const { rounds, companies, count } = options;
	const ours: Usage[] = [];
	const peer: Usage[] = [];
	for (let round = 0; round < rounds; round++) {
		peer.push(await usageAfter(count, publishGithub));
		ours.push(await usageAfter(count, async (n8n) => await publishRegistry(n8n, companies)));
	}
	const more = (kind: keyof Usage, what: string): Figure => {
		const [with_, without] = [ours, peer].map((usages) => median(usages.map((usage) => usage[kind])));
		return {
			what: `${what}, ${companies} companies, ${count} deliveries`,
			ours: `${with_.toFixed(0)} MB`,
			peer: `${without.toFixed(0)} MB (GitHub Trigger)`,
			target: `≤ ${MOST_MEGABYTES} MB more`,
			isMet: with_ - without <= MOST_MEGABYTES,
		};
	};
	return [more('resident', 'resident memory'), more('heap', 'JavaScript heap')];
}

async function usageAfter(count: number, publish: (n8n: BenchN8n) => Promise<Target[]>): Promise<Usage> {
	const n8n = await startBenchN8n({ NODE_OPTIONS: `--require ${probe}`, BENCH_MEMORY_FILE: memoryFile });
	try {
		await sendDeliveries(await publish(n8n), count, 200);
		await n8n.untilIdle();
		rmSync(memoryFile, { force: true });
		n8n.host.signal('SIGUSR2');
		await waitFor('a look at the memory', () => existsSync(memoryFile) && readFileSync(memoryFile).length > 0);
		const { rss, heapUsed } = JSON.parse(readFileSync(memoryFile, 'utf8'));
		return { resident: rss / MEGABYTE, heap: heapUsed / MEGABYTE };
	} finally {
		rmSync(memoryFile, { force: true });
		await n8n.stop();
	}
}
