import type { INode } from 'n8n-workflow';

import { errorOf } from '../test/n8n-host/execution';
import type { Execution } from '../test/n8n-host/n8nTypes';
import { startBenchN8n, type BenchN8n } from './lib/n8n';
import { atLeast, type Figure } from './lib/report';
import { compare, type Comparison } from './lib/rounds';
import { chain, companyNumbers, node, PACKAGE } from './lib/workflows';

const START = 'Start';
const ACTION = 'Action';
const ITEMS_AT_LIMIT = 300;
const LIMIT = { requests: 100, perMs: 1000 };

/** Items per second of our node and of n8n's HTTP Request node, which does the same by hand. */
export async function measureBulkActions({
	rounds,
	items,
}: {
	rounds: number;
	items: number;
}): Promise<Figure[]> {
	const n8n = await startBenchN8n();
	try {
		const create = await compareNodes(n8n, rounds, items, createByHand(n8n), createWithOurs(n8n));
		const search = await compareNodes(n8n, rounds, items, searchByHand(n8n), searchWithOurs(n8n));
		return [
			figure(`webhook/create, items/s of ${items}`, create),
			figure(`company/search, items/s of ${items}`, search),
			await measureRateLimit(n8n),
		];
	} finally {
		await n8n.stop();
	}
}

async function compareNodes(
	n8n: BenchN8n,
	rounds: number,
	items: number,
	byHand: INode,
	ours: INode,
): Promise<Comparison> {
	const speedOf = async (action: INode) => {
		const id = await createRun(n8n, items, action);
		return async () => {
			const execution = await run(n8n, id);
			if (execution.status !== 'success') throw new Error(`${action.type}: ${errorOf(execution)}`);
			const [{ executionTime }] = execution.data.resultData.runData[ACTION];
			return items / (executionTime / 1000);
		};
	};
	const { node: result } = await compare(rounds, await speedOf(byHand), {
		node: await speedOf(ours),
	});
	return result;
}

/** What becomes of more items than the service lets through at once. */
async function measureRateLimit(n8n: BenchN8n): Promise<Figure> {
	const outcomeOf = async (action: INode) => {
		const id = await createRun(n8n, ITEMS_AT_LIMIT, action);
		await n8n.simulator.order({ rateLimit: LIMIT, clear: true });
		const { status } = await run(n8n, id);
		const { rateLimited } = await n8n.simulator.order({ rateLimit: null });
		return { status, rateLimited };
	};
	const peer = await outcomeOf(createByHand(n8n));
	const ours = await outcomeOf(createWithOurs(n8n));
	return {
		what: `${ITEMS_AT_LIMIT} items at a limit of ${LIMIT.requests} requests/s`,
		ours: `${ours.status}, ${ours.rateLimited} × 429`,
		peer: `${peer.status}, ${peer.rateLimited} × 429 (HTTP Request)`,
		target: 'succeeds',
		isMet: ours.status === 'success',
	};
}

async function createRun({ client }: BenchN8n, items: number, action: INode): Promise<string> {
	const list = node('List', 'n8n-nodes-base.set', 3.4, {
		mode: 'raw',
		jsonOutput: JSON.stringify({ number: companyNumbers(items) }),
		options: {},
	});
	const split = node('Split', 'n8n-nodes-base.splitOut', 1, {
		fieldToSplitOut: 'number',
		options: {},
	});
	const start = node(START, 'n8n-nodes-base.manualTrigger', 1, {});
	return (await client.createWorkflow(chain('Bulk', [start, list, split, action]))).id;
}

async function run({ client }: BenchN8n, id: string): Promise<Execution> {
	return await client.runToEnd(id, START, { timeoutMs: 300_000 });
}

function createWithOurs({ registryCredential }: BenchN8n): INode {
	const parameters = {
		resource: 'webhook',
		operation: 'create',
		companyNumber: { __rl: true, mode: 'number', value: '={{ $json.number }}' },
		url: 'https://n8n.example/hook',
		events: ['filing.new'],
		// Each round makes the same ones, as the peer does.
		options: { alreadyWatched: 'another' },
	};
	return node(ACTION, `${PACKAGE}.companyRegistry`, 1, parameters, registryCredential);
}

function searchWithOurs({ registryCredential }: BenchN8n): INode {
	const parameters = {
		resource: 'company',
		operation: 'search',
		query: '={{ "limited" }}',
		limit: 1,
	};
	return node(ACTION, `${PACKAGE}.companyRegistry`, 1, parameters, registryCredential);
}

function createByHand(n8n: BenchN8n): INode {
	return byHand(n8n, {
		method: 'POST',
		url: `${n8n.simulator.url}/v1/webhooks`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody:
			'={{ { url: "https://n8n.example/hook", company_number: $json.number, events: ["filing.new"] } }}',
	});
}

function searchByHand(n8n: BenchN8n): INode {
	return byHand(n8n, {
		method: 'GET',
		url: `${n8n.simulator.url}/v1/search`,
		sendQuery: true,
		queryParameters: {
			parameters: [
				{ name: 'q', value: '={{ "limited" }}' },
				{ name: 'items_per_page', value: '1' },
			],
		},
	});
}

function byHand({ registryCredential }: BenchN8n, parameters: INode['parameters']): INode {
	return node(
		ACTION,
		'n8n-nodes-base.httpRequest',
		4.2,
		{
			authentication: 'predefinedCredentialType',
			nodeCredentialType: registryCredential.type,
			options: {},
			...parameters,
		},
		registryCredential,
	);
}

function figure(what: string, { ours, peer, ratio }: Comparison): Figure {
	return {
		what,
		ours: ours.toFixed(0),
		peer: `${peer.toFixed(0)} (HTTP Request)`,
		...atLeast(1, ratio),
	};
}
