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

Where a target is missed:

- **Verifying a small body**: a bare HMAC knows its secret and its scheme. Finding the webhook in n8n's
  static data and telling the scheme by the headers take some 4 µs, for one company or 10,000; the body's
  size does not matter. n8n itself takes thousands of times as long for a delivery.
- **Deliveries per second**: n8n's own work, above all an isolated JavaScript engine for each delivery, is
  over nine tenths of it for this trigger and for the GitHub Trigger. What this trigger does more is to
  read its own options and to answer a refusal with its reason. Without that engine
  (\`N8N_EXPRESSION_ENGINE=legacy\`) n8n takes several times as many.
- **Resident memory**: the JavaScript heap that is in use hardly differs, so no objects are held on to, and
  with one company the process takes no more than with the peer. With 2,000 it takes more from the
  operating system and gives it back late: n8n reads and drops the workflow's static data (93 bytes a
  company) and its company numbers with each delivery.

What each line compares is said in the script that measures it, in \`bench/\`. What the figures mean for
many companies is in [scaling.md](scaling.md).
`;
}
