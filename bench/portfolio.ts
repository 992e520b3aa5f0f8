import { setTimeout as sleep } from 'node:timers/promises';

import {
	createTable,
	importKeeper,
	n8nApiCredential,
	type Choices,
	type Table,
} from '../test/e2e/examples/portfolio';
import { errorOf } from '../test/n8n-host/execution';
import { startBenchN8n, type BenchN8n } from './lib/n8n';
import type { Figure } from './lib/report';
import type { StandIn } from './lib/standIn';
import { companyNumbers, registryWorkflow } from './lib/workflows';

const LATENCY_MS = 50;
const CHANGED = 5;
const PAUSED = 3;

interface Run {
	/** From its start until the service has what is wanted. */
	seconds: number;
	/** Until the execution has ended. */
	secondsInAll: number;
	/** Until then, by method. */
	requests: Record<string, number>;
}

/**
 * The examples that keep a portfolio of many companies in step with a table and repair it, in a real
 * n8n with its own nodes: a day on which some come and some go, and a week in which some were paused.
 */
export async function measurePortfolio({ companies }: { companies: number }): Promise<Figure[]> {
	const n8n = await startBenchN8n();
	try {
		const all = companyNumbers(companies + CHANGED);
		const [before, after] = [all.slice(0, companies), all.slice(CHANGED)];
		const choices = await publishPortfolio(n8n, companies, after);
		await n8n.standIn.order({ latencyMs: LATENCY_MS });

		const day = await measureRun(n8n, 'keep-portfolio-in-step', choices, after);
		await pause(n8n.standIn, after.slice(0, PAUSED));
		const week = await measureRun(n8n, 'repair-subscriptions', choices, after);
		return [
			...figures(
				`a day on which ${CHANGED} of ${before.length} companies come and ${CHANGED} go`,
				day,
				2 * CHANGED + 2,
			),
			...figures(
				`a week in which ${PAUSED} of ${after.length} webhooks were paused`,
				week,
				PAUSED + 2,
			),
		];
	} finally {
		await n8n.stop();
	}
}

/** Publishes the first so many companies, and makes the table of those that are wanted next. */
async function publishPortfolio(
	n8n: BenchN8n,
	companies: number,
	wanted: string[],
): Promise<Choices> {
	const { client, registryCredential: registry } = n8n;
	const { id: workflowId } = await client.createWorkflow(registryWorkflow(companies, registry));
	await client.waitUntilPublished(workflowId, { timeoutMs: 300_000 });
	const n8nApi = await n8nApiCredential(n8n);
	const table: Table = await createTable(n8n, 'Portfolio', wanted);
	return { workflowId, registry, n8nApi, table };
}

async function measureRun(
	n8n: BenchN8n,
	name: 'keep-portfolio-in-step' | 'repair-subscriptions',
	choices: Choices,
	wanted: string[],
): Promise<Run> {
	const { client, standIn } = n8n;
	const { id, nodes } = await importKeeper(n8n, name, choices);
	const trigger = nodes.find(({ type }) => type === 'n8n-nodes-base.scheduleTrigger');
	await standIn.order({ clear: true });
	const start = performance.now();
	const passed = () => (performance.now() - start) / 1000;
	const executionId = await client.runWorkflow(id, trigger?.name ?? '');
	while (!(await isWatched(standIn, wanted))) await sleep(100);
	const seconds = passed();
	const execution = await client.waitForExecution(executionId, { timeoutMs: 300_000 });
	const error = errorOf(execution);
	if (error !== undefined) throw new Error(`${name} failed: ${error}`);
	return { seconds, secondsInAll: passed(), requests: (await standIn.order({})).requests };
}

/** Whether these companies have an active webhook and no others have. */
async function isWatched(standIn: StandIn, wanted: string[]): Promise<boolean> {
	const { webhooks } = await standIn.order({});
	const active = webhooks.filter((webhook) => webhook.is_active);
	const numbers = new Set(active.map(({ company_number }) => company_number));
	return numbers.size === wanted.length && wanted.every((number) => numbers.has(number));
}

/** As somebody does in the service's dashboard. */
async function pause({ url, apiKey, order }: StandIn, companies: string[]): Promise<void> {
	const { webhooks } = await order({});
	for (const { id } of webhooks.filter((one) => companies.includes(one.company_number))) {
		await fetch(`${url}/v1/webhooks/${id}`, {
			method: 'PATCH',
			headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
			body: JSON.stringify({ is_active: false }),
		});
	}
}

function figures(what: string, { seconds, secondsInAll, requests }: Run, most: number): Figure[] {
	const total = Object.values(requests).reduce((sum, count) => sum + count, 0);
	const listed = Object.entries(requests).map(([method, count]) => `${count} ${method}`);
	const times = `${seconds.toFixed(1)} s, the run ${secondsInAll.toFixed(0)} s`;
	const where = `${what}, at ${LATENCY_MS} ms`;
	return [
		{
			what: `requests: ${where}`,
			ours: listed.join(', '),
			peer: '',
			target: `≤ ${most}`,
			isMet: total <= most,
		},
		{
			what: `until the service has it: ${where}`,
			ours: times,
			peer: '',
			target: 'shown',
			isMet: true,
		},
	];
}
