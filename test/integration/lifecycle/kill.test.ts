// n8n is killed in the middle of a setup: what that costs, at two speeds of the service.
import { setTimeout as sleep } from 'node:timers/promises';

import { range } from 'lodash';

import { waitFor } from '../../n8n-host/waitFor';
import { startService } from '../../support/atService';
import { companyNumbers, held, watch } from '../../support/savedWorkflow';

const COMPANIES = 400;
/** A setup of 400 companies stores after so many creates, and n8n saves behind that. */
const PER_STORE = 25;
const IN_FLIGHT = 10;

jest.setTimeout(120_000);

/** Kills n8n once so many webhooks exist. @returns how many of them exist and how many secrets are stored */
async function killAt(count: number, latencyMs: number) {
	const simulator = await startService();
	const workflow = watch(simulator, companyNumbers(COMPANIES));
	try {
		simulator.latencyMs = latencyMs;
		workflow.register().catch(() => undefined);
		// A busy machine takes its time.
		const isReached = () => simulator.requests.length > count;
		await waitFor(`${count} requests`, isReached, { timeoutMs: 100_000, everyMs: 10 });
		workflow.kill();
		// What was under way at the service ends there.
		await sleep(2 * latencyMs + 100);
		return { made: simulator.webhooks().length, stored: held(simulator, workflow).length };
	} finally {
		await simulator.close();
	}
}

it.each([60, 400])(
	'killed at each tenth of 400 companies, at %i ms a request, it loses at most two stores',
	async (latencyMs) => {
		const tenths = range(1, 10).map((tenth) => (tenth * COMPANIES) / 10);
		const results = await Promise.all(tenths.map(async (count) => await killAt(count, latencyMs)));
		const losses = results.map(({ made, stored }) => made - stored);
		const tooMany = losses.filter((lost) => lost > 2 * PER_STORE + IN_FLIGHT);
		expect({ losses, tooMany }).toEqual({ losses, tooMany: [] });
		// Each kill came in the middle, and most secrets were stored by then.
		for (const { made } of results) expect(made).toBeLessThan(COMPANIES);
		expect(results.at(-1)?.stored).toBeGreaterThanOrEqual(300);
	},
);
