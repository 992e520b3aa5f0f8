import { cpus, totalmem } from 'node:os';

import host from '../../test/n8n-host/package.json';
import { table, type Figure } from './report';

/** docs/benchmarks.md */
export function page(figures: Figure[]): string {
	const [cpu] = cpus();
	const memory = Math.round(totalmem() / 2 ** 30);
	return `# Benchmarks

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: n8n ${host.dependencies.n8n}, Node ${process.versions.node},
${cpus().length} CPUs (${cpu?.model.trim() ?? 'unknown'}), ${memory} GB of memory, everything on that one machine.

Compare ratios, not absolute figures: those belong to the machine. A ratio is the median over several
rounds, in each of which this package and its peer take turns, so that what slows one slows the other.

${table(figures)}

Verifying a small body cannot come near a bare HMAC, which knows its secret and its scheme: finding the
webhook in n8n's static data and telling the scheme by the headers take some 6 µs, for one company or
10,000. n8n itself takes about a thousand times as long for a delivery.

What each line compares is said in the script that measures it, in \`bench/\`. What the figures mean for
many companies is in [scaling.md](scaling.md).
`;
}
