// Our waits fit n8n's own, which are read from the files of the pinned n8n; no n8n is started.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { TIMES } from '../../nodes/CompanyRegistry/trigger/lifecycle/schedule';

/** For a publish, five attempts together, in milliseconds. */
const N8N_PATIENCE = 120_000 * 0.7;

const modules = join(__dirname, '../n8n-host/node_modules');

const CONSUMER = 'n8n/dist/workflows/publication/workflow-publication-outbox-consumer.js';
const RETRY = 'n8n/dist/workflows/triggers/trigger-activation-retry.js';
const CONSTANTS = 'n8n/dist/constants.js';
const CONFIG = '@n8n/config/dist/configs/workflows.config.js';

it.each([
	[CONFIG, 'publicationOutboxLeaseSeconds = 2 * constants_1.Time.minutes.toSeconds'],
	[CONSUMER, 'ABORT_AFTER_LEASE_FRACTION = 0.7;'],
	[CONSUMER, 'abortAfterMs = leaseMs * ABORT_AFTER_LEASE_FRACTION'],
	[CONSTANTS, 'TRIGGER_ACTIVATION_MAX_ATTEMPTS = 5;'],
	[CONSTANTS, 'WORKFLOW_REACTIVATE_INITIAL_TIMEOUT = 1000;'],
	[RETRY, 'TIMEOUT * 2 ** attempt'],
])('%s says: %s', (file, text) => {
	expect(readFileSync(join(modules, file), 'utf8')).toContain(text);
});

it('nothing is paused between two attempts of n8n, and n8n has our answer in time', () => {
	const longestPause = 1_000 * 2 ** 3;
	expect(TIMES.beforePausing).toBeGreaterThan(longestPause);
	expect(TIMES.latestAnswer + TIMES.stop).toBeLessThan(N8N_PATIENCE);
	expect(TIMES.allAttempts).toBe(N8N_PATIENCE);
});
