// Our waits fit n8n's own, which are read from the files of the pinned n8n; no n8n is started.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { TIMES } from '../../nodes/CompanyRegistry/trigger/lifecycle/schedule';

/** For a publish, all attempts together, in milliseconds. */
const N8N_PATIENCE = 84_000;

const modules = join(__dirname, '../n8n-host/node_modules');

/** The one place in a file that the pattern fits: what it captures. */
function read(file: string, pattern: RegExp): string {
	const [found, ...others] = readFileSync(join(modules, file), 'utf8').matchAll(
		new RegExp(pattern, 'g'),
	);
	if (found === undefined || others.length > 0) {
		throw new Error(`${file} does not hold ${String(pattern)} once: n8n has changed`);
	}
	return found[1];
}

const CONSUMER = 'n8n/dist/workflows/publication/workflow-publication-outbox-consumer.js';
const RETRY = 'n8n/dist/workflows/triggers/trigger-activation-retry.js';
const CONSTANTS = 'n8n/dist/constants.js';
const CONFIG = '@n8n/config/dist/configs/workflows.config.js';

it('n8n waits for all attempts of a publish as long as we take it to', () => {
	const minutes = read(
		CONFIG,
		/publicationOutboxLeaseSeconds = (\d+) \* constants_1\.Time\.minutes\.toSeconds/,
	);
	const fraction = read(CONSUMER, /ABORT_AFTER_LEASE_FRACTION = ([\d.]+);/);
	expect(read(CONSUMER, /abortAfterMs = ([^;]+);/)).toBe('leaseMs * ABORT_AFTER_LEASE_FRACTION');
	expect(Number(minutes) * 60_000 * Number(fraction)).toBe(N8N_PATIENCE);
});

it('n8n pauses between its attempts for less than we wait before pausing, and its answer comes in time', () => {
	const first = Number(read(CONSTANTS, /WORKFLOW_REACTIVATE_INITIAL_TIMEOUT = (\d+);/));
	const attempts = Number(read(CONSTANTS, /TRIGGER_ACTIVATION_MAX_ATTEMPTS = (\d+);/));
	expect(read(RETRY, /(\w*TIMEOUT \* 2 \*\* \w+)/)).toBe(
		'WORKFLOW_REACTIVATE_INITIAL_TIMEOUT * 2 ** attempt',
	);
	const pauses = Array.from({ length: attempts - 1 }, (_, attempt) => first * 2 ** attempt);
	expect(pauses).toEqual([1000, 2000, 4000, 8000]);

	// Nothing is paused between two attempts, and n8n has its answer in time.
	expect(TIMES.beforePausing).toBeGreaterThan(Math.max(...pauses));
	expect(TIMES.latestAnswer + TIMES.stop).toBeLessThan(N8N_PATIENCE);
	expect(TIMES.allAttempts).toBe(N8N_PATIENCE);
});
