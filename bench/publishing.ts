// With its ending, as there is a JSON file of the same name.
import { CompanyRegistryTrigger } from '../nodes/CompanyRegistry/CompanyRegistryTrigger.node.js';
import { concurrently } from '../nodes/CompanyRegistry/shared/concurrently';
import { findMemory } from '../nodes/CompanyRegistry/trigger/memory/trigger';
import { CONCURRENT_REQUESTS } from '../nodes/CompanyRegistry/registry/registry';
import { hookContext, testWorkflow, type TestWorkflow } from '../test/support/contexts';
import { atMost, type Figure } from './lib/report';
import { median, ratioOf, seconds } from './lib/rounds';
import { startStandIn, type StandIn } from './lib/standIn';
import { companyNumbers } from './lib/workflows';

const LATENCY_MS = 20;

interface Round {
	publish: number;
	publishAgain: number;
	bareCreate: number;
	bareUpdate: number;
	requests: Record<'publish' | 'publishAgain' | 'restart' | 'change', Record<string, number>>;
	/** One company more, as n8n publishes a change: the old version is taken down first. */
	change: Cost;
	/** The same with the pausing waited for, as if it were no change. */
	offAndOn: Cost;
}

interface Cost {
	seconds: number;
	/** Of all companies together. */
	unwatchedSeconds: number;
}

/**
 * Publishing many companies against a service that takes 20 ms for each request, in n8n's own
 * contexts, against the same requests sent bare through n8n's unauthenticated HTTP helper at the same
 * concurrency.
 */
export async function measurePublishing({
	rounds,
	companies,
}: {
	rounds: number;
	companies: number;
}): Promise<Figure[]> {
	const standIn = await startStandIn({ latencyMs: LATENCY_MS });
	try {
		const results: Round[] = [];
		for (let round = 0; round < rounds; round++)
			results.push(await measureRound(standIn, companies, round));
		const middle = (name: 'publish' | 'publishAgain' | 'bareCreate' | 'bareUpdate') =>
			median(results.map((result) => result[name]));
		const ratio = (ours: 'publish' | 'publishAgain', bare: 'bareCreate' | 'bareUpdate') =>
			ratioOf(results.map((result) => result[ours] / result[bare]));
		const costs = (name: 'change' | 'offAndOn'): Cost => ({
			seconds: median(results.map((result) => result[name].seconds)),
			unwatchedSeconds: median(results.map((result) => result[name].unwatchedSeconds)),
		});
		const [{ requests }] = results;
		return [
			{
				what: `publishing ${companies} companies at ${LATENCY_MS} ms`,
				ours: `${middle('publish').toFixed(1)} s`,
				peer: `${middle('bareCreate').toFixed(1)} s (bare requests)`,
				...atMost(1.25, ratio('publish', 'bareCreate')),
			},
			{
				what: 'publishing them again after unpublishing',
				ours: `${middle('publishAgain').toFixed(1)} s`,
				peer: `${middle('bareUpdate').toFixed(1)} s (bare requests)`,
				...atMost(1.25, ratio('publishAgain', 'bareUpdate')),
			},
			requestFigure('requests: publishing', requests.publish, companies + 1),
			requestFigure('requests: publishing again', requests.publishAgain, companies + 1),
			requestFigure('requests: restart', requests.restart, 1),
			requestFigure(`requests: one company more than ${companies}`, requests.change, 2),
			{
				what: `one company more than ${companies}`,
				ours: `${costs('change').seconds.toFixed(1)} s`,
				peer: `${costs('offAndOn').seconds.toFixed(1)} s (unpublished and published)`,
				...atMost(
					0.5,
					ratioOf(results.map(({ change, offAndOn }) => change.seconds / offAndOn.seconds)),
				),
			},
			{
				what: 'company-seconds unwatched meanwhile',
				ours: costs('change').unwatchedSeconds.toFixed(0),
				peer: `${costs('offAndOn').unwatchedSeconds.toFixed(0)} (unpublished and published)`,
				target: '0',
				isMet: results.every(({ change }) => change.unwatchedSeconds === 0),
			},
		];
	} finally {
		await standIn.close();
	}
}

async function measureRound(standIn: StandIn, companies: number, round: number): Promise<Round> {
	const {
		checkExists,
		create,
		delete: remove,
	} = new CompanyRegistryTrigger().webhookMethods.default;
	const workflow = newWorkflow(standIn, companies, round);
	const publish = async () => {
		if (!(await checkExists.call(hookContext(workflow)))) await create.call(hookContext(workflow));
	};
	const takeDown = async () => await remove.call(hookContext(workflow, { activation: 'update' }));
	/** Pausing goes on after n8n has been answered. */
	const untilPaused = async () => {
		const {
			workflow: { id },
			node,
		} = workflow;
		const memory = findMemory({ workflow: id, node: node.id, kind: 'production' });
		while (memory?.run) await memory.run.done;
	};
	const counted = async (work: () => Promise<unknown>) => {
		await standIn.order({ clear: true });
		const duration = await seconds(work);
		const { requests, unwatchedSeconds } = await standIn.order({});
		return { duration, requests, unwatchedSeconds };
	};

	const bareCreate = await seconds(
		async () => await sendBare(workflow, standIn, companies, 'POST'),
	);
	const first = await counted(publish);
	const restart = await counted(publish);
	await standIn.order({ clear: true });
	const offAndOn = await seconds(async () => {
		await takeDown();
		await untilPaused();
		await publish();
	});
	const { unwatchedSeconds } = await standIn.order({});
	await takeDown();
	await untilPaused();
	const again = await counted(publish);
	const change = await counted(async () => {
		await takeDown();
		workflow.node.parameters.companyNumbers += '\nSC123456';
		await publish();
	});
	const bareUpdate = await seconds(
		async () => await sendBare(workflow, standIn, companies, 'PATCH'),
	);
	return {
		publish: first.duration,
		publishAgain: again.duration,
		bareCreate,
		bareUpdate,
		requests: {
			publish: first.requests,
			publishAgain: again.requests,
			restart: restart.requests,
			change: change.requests,
		},
		change: { seconds: change.duration, unwatchedSeconds: change.unwatchedSeconds },
		offAndOn: { seconds: offAndOn, unwatchedSeconds },
	};
}

function newWorkflow(standIn: StandIn, companies: number, round: number): TestWorkflow {
	return testWorkflow({
		nodeType: new CompanyRegistryTrigger(),
		credentials: { companyRegistryApi: { baseUrl: standIn.url, apiKey: standIn.apiKey } },
		workflowId: `workflow-${round}`,
		parameters: {
			companiesFrom: 'numbers',
			companyNumbers: companyNumbers(companies).join('\n'),
			events: ['filing.new'],
		},
	});
}

/** As many creations, or updates of one webhook, as there are companies. */
async function sendBare(
	workflow: TestWorkflow,
	{ url, apiKey, order }: StandIn,
	companies: number,
	method: 'POST' | 'PATCH',
): Promise<void> {
	const { helpers } = hookContext(workflow);
	const { webhooks } = await order({});
	const path = method === 'POST' ? '/v1/webhooks' : `/v1/webhooks/${webhooks[0].id}`;
	await concurrently(companyNumbers(companies), CONCURRENT_REQUESTS, async (company_number) => {
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

function requestFigure(what: string, requests: Record<string, number>, most: number): Figure {
	const total = Object.values(requests).reduce((sum, count) => sum + count, 0);
	const listed = Object.entries(requests).map(([method, count]) => `${count} ${method}`);
	return { what, ours: listed.join(', '), peer: '', target: `≤ ${most}`, isMet: total <= most };
}
