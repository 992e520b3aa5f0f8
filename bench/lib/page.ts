import { cpus, totalmem } from 'node:os';

import host from '../../test/n8n-host/package.json';
import { table, type Figure } from './report';

/** bench/RESULTS.md */
export function page(figures: Figure[]): string {
	const [cpu] = cpus();
	const memory = Math.round(totalmem() / 2 ** 30);
	return `# Benchmarks

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: n8n ${host.dependencies.n8n}, Node ${process.versions.node},
${cpus().length} CPUs (${cpu?.model.trim() ?? 'unknown'}), ${memory} GB of memory, everything on that one machine.

Compare ratios, not absolute figures: those belong to the machine. A ratio is the median over several
rounds. Each round measures this package and its peer in random order; ± is its standard error. "Within the error" means that the target is less than
two standard errors away, so these rounds cannot decide it.

${table(figures)}

Notes:

- **Verifying a small body**: a bare HMAC knows its secret and its scheme. Finding the webhook in n8n's
  static data, and reading and trying what the headers may mean, take less than a tenth of a millisecond,
  with 10,000 companies a little more than with one. n8n itself takes a thousand times as long for a
  delivery.
- **Deliveries per second**: n8n's own work, above all an isolated JavaScript engine for each delivery, is
  over nine tenths of it for this trigger and for the GitHub Trigger. Without that engine
  (\`N8N_EXPRESSION_ENGINE=legacy\`) n8n takes several times as many. For a node of version 1, such as the
  GitHub Trigger, n8n also evaluates an expression for each delivery, so this trigger has version 1.1.
  n8n reads the whole workflow with its static data (92 bytes a company) for each delivery, whichever of its
  triggers that is for: hence the lines with a GitHub Trigger in the same workflow.

The scripts in this folder say what each line compares. [Scaling](../docs/self-hosting.md#scaling) says what
the figures mean for many companies.
`;
}
