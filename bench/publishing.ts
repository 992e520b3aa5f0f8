import { setTimeout as sleep } from 'node:timers/promises';

// With its ending, as there is a JSON file of the same name.
import { CompanyRegistryTrigger } from '../nodes/CompanyRegistry/CompanyRegistryTrigger.node.js';
import { concurrently } from '../nodes/CompanyRegistry/shared/async';
import { CONCURRENT_REQUESTS } from '../nodes/CompanyRegistry/registry/registry';
import { waitFor } from '../test/n8n-host/waitFor';
import { hookContext, testWorkflow } from '../test/support/contexts';
import { startBenchN8n, type BenchN8n } from './lib/n8n';
import { atMost, type Figure } from './lib/report';
import { median, ratioOf } from './lib/rounds';
import type { SimulatorState } from './lib/simulatorProcess';
import { companyNumbers, registryWorkflow } from './lib/workflows';

const LATENCY_MS = 50;
const LONG = { timeoutMs: 300_000 };

/** What the simulator has seen of each. */
interface Round {
	publish: SimulatorState;
	bareCreate: SimulatorState;
	restart: SimulatorState;
	change: SimulatorState;
	publishAgain: SimulatorState;
	bareUpdate: SimulatorState;
}

/**
 * Publishing many companies in a real n8n against a service that takes 50 ms for each request: from the first
 * to the last request that the service gets, against as many bare requests through n8n's unauthenticated
 * HTTP helper at the same concurrency.
 */
export async function measurePublishing({
	rounds,
	companies,
}: {
	rounds: number;
	companies: number;
}): Promise<Figure[]> {
	const n8n = await startBenchN8n();
	try {
		await n8n.simulator.order({ latencyMs: LATENCY_MS });
		const results: Round[] = [];
		for (let round = 0; round < rounds; round++) {
			results.push(
				await measureRound(
					n8n,
					companyNumbers(companies, 2 * round * companies),
					companyNumbers(companies, (2 * round + 1) * companies),
				),
			);
		}
		const compared = (what: string, ours: keyof Round, bare: keyof Round): Figure => ({
			what,
			ours: `${median(results.map((result) => result[ours].seconds)).toFixed(1)} s`,
			peer: `${median(results.map((result) => result[bare].seconds)).toFixed(1)} s (bare requests)`,
			...atMost(
				1.25,
				ratioOf(results.map((result) => result[ours].seconds / result[bare].seconds)),
			),
		});
		const [{ publish, publishAgain, restart, change }] = results;
		return [
			compared(`publishing ${companies} companies at ${LATENCY_MS} ms`, 'publish', 'bareCreate'),
			compared('publishing them again after unpublishing', 'publishAgain', 'bareUpdate'),
			requestFigure('publishing', publish, companies + 1),
			requestFigure('publishing again', publishAgain, companies + 2),
			requestFigure('restart', restart, 1),
			requestFigure(`one company more than ${companies}`, change, 2),
			{
				what: 'company-seconds unwatched meanwhile',
				ours: change.unwatchedSeconds.toFixed(0),
				peer: '',
				target: '0',
				isMet: results.every((result) => result.change.unwatchedSeconds === 0),
			},
		];
	} finally {
		await n8n.stop();
	}
}

async function measureRound(n8n: BenchN8n, watched: string[], bare: string[]): Promise<Round> {
	const { client, host, simulator, registryCredential } = n8n;
	const { webhooks: before } = await simulator.order({});
	/** What the simulator gets until as many webhooks of this round are active. */
	const counted = async (work: () => Promise<unknown>, active: number) => {
		await simulator.order({ clear: true });
		await work();
		return await waitFor(
			`${active} active webhooks`,
			async () => {
				const state = await simulator.order({});
				const own = state.webhooks.slice(before.length);
				return own.filter((webhook) => webhook.is_active).length === active && state;
			},
			LONG,
		);
	};
	const { id, nodes } = await client.createWorkflow(
		registryWorkflow(watched.length, registryCredential),
	);
	const publish = async () => await client.waitUntilPublished(id, LONG);

	const [trigger, ...others] = nodes;
	const watch = async (companies: string[]) => {
		const parameters = { ...trigger.parameters, companyNumbers: companies.join('\n') };
		await client.updateWorkflow(id, { nodes: [{ ...trigger, parameters }, ...others] });
	};
	await watch(watched);
	const first = await counted(publish, watched.length);
	const restart = await counted(async () => {
		await host.restart();
		await client.login();
		// n8n sets the trigger up, which checks then, some time after it answers.
		const hasChecked = async () => (await simulator.order({})).requests.GET > 0;
		await waitFor("the start's check", hasChecked, LONG);
		// A second request would have come by then.
		await sleep(20 * LATENCY_MS);
	}, watched.length);
	const change = await counted(async () => {
		await watch([...watched, 'SC123456']);
		await publish();
	}, watched.length + 1);
	await counted(async () => await client.waitUntilUnpublished(id), 0);
	const publishAgain = await counted(publish, watched.length + 1);

	await counted(async () => await client.waitUntilUnpublished(id), 0);
	const send = (method: 'POST' | 'PATCH') => async () => await sendBare(n8n, bare, method);
	const bareCreate = await counted(send('POST'), bare.length);
	const bareUpdate = await counted(send('PATCH'), bare.length);
	return { publish: first, bareCreate, restart, change, publishAgain, bareUpdate };
}

/** As many creations, or updates of the webhook that was created last. */
async function sendBare(
	{ simulator: { url, apiKey, order } }: BenchN8n,
	companies: string[],
	method: 'POST' | 'PATCH',
): Promise<void> {
	const { webhooks } = await order({});
	const path = method === 'POST' ? '/v1/webhooks' : `/v1/webhooks/${webhooks.at(-1)?.id}`;
	const { helpers } = hookContext(testWorkflow({ nodeType: new CompanyRegistryTrigger() }));
	await concurrently(companies, CONCURRENT_REQUESTS, async (company_number) => {
		await helpers.httpRequest({
			method,
			url: `${url}${path}`,
			headers: { authorization: `Bearer ${apiKey}` },
			body: {
				url: 'https://n8n.example/webhook/path/webhook?ref=0123456789012345678901',
				events: ['filing.new'],
				...(method === 'POST' ? { company_number } : { is_active: true }),
			},
			json: true,
		});
	});
}

function requestFigure(what: string, { requests }: SimulatorState, most: number): Figure {
	const total = Object.values(requests).reduce((sum, count) => sum + count, 0);
	const listed = Object.entries(requests).map(([method, count]) => `${count} ${method}`);
	return {
		what: `requests: ${what}`,
		ours: listed.join(', ') || 'none',
		peer: '',
		target: `≤ ${most}`,
		isMet: total > 0 && total <= most,
	};
}
