// An n8n that is sent deliveries over https while it publishes, is killed and begins anew.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Request, Response } from 'express';
import { countBy } from 'lodash';
import type {
	INodeExecutionData,
	INodeParameters,
	INodeType,
	WorkflowActivateMode,
} from 'n8n-workflow';

import { waitFor } from '../n8n-host/waitFor';
import type { DeliveryRequest, Simulator, StoredWebhook } from '../simulator';
import { startTlsProxy } from '../simulator/tlsProxy';
import { describe } from './activation';
import { testWorkflow, type NodeSetup } from './contexts';
import { afterRestart } from './loadedTriggers';
import { captureLog } from './logCapture';
import { SavedWorkflow, watch, watching } from './savedWorkflow';
import { setTimes } from './times';
import { answerRequest, webhookApp } from './webhookServer';

export { passTime } from './times';

/**
 * Starts n8n for the tests of this file or group, ended after each. Call it before what starts the service: what
 * n8n does must end first.
 */
export function n8nForEachTest(): typeof LiveN8n.begin {
	const running: LiveN8n[] = [];
	beforeEach(() => setTimes({ earlyAnswer: 15_000 }));
	afterEach(async () => {
		await Promise.all(running.splice(0).map(async (n8n) => await n8n.close()));
	});
	return async (...args) => {
		const n8n = await LiveN8n.begin(...args);
		running.push(n8n);
		return n8n;
	};
}

/** One n8n, with one workflow that watches companies. */
export class LiveN8n extends SavedWorkflow {
	/** Lines of its log. */
	log: string[] = [];
	/** In queue mode, another process receives what is sent to its URL. */
	private receiver: INodeType | undefined;

	private constructor(
		private readonly simulator: Simulator,
		setup: NodeSetup,
		readonly url: string,
		private readonly ca: string,
		readonly close: () => Promise<void>,
	) {
		super(setup);
	}

	/** Starts it; its address is https. */
	static async begin(
		simulator: Simulator,
		companies: string[],
		setup: Partial<NodeSetup> = {},
	): Promise<LiveN8n> {
		const app = webhookApp(async (request, response) => await n8n.receive(request, response));
		const server = createServer(app).listen(0, '127.0.0.1');
		await once(server, 'listening');
		const proxy = await startTlsProxy({ targetPort: (server.address() as AddressInfo).port });
		const close = async () => {
			n8n.kill();
			await proxy.close();
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		};
		const webhookBaseUrl = `${proxy.url}/webhook`;
		const whole = watch(simulator, companies, { webhookBaseUrl, ...setup }).setup;
		const n8n = new LiveN8n(simulator, whole, proxy.url, proxy.ca, close);
		n8n.log = captureLog(n8n.load());
		return n8n;
	}

	/** Publishes with these companies and other parameters, as far as n8n waits: why it fails, or empty. */
	async watch(companies: string[], more: INodeParameters = {}): Promise<string> {
		return await this.answer({ parameters: watching(companies, more) });
	}

	/** The same with these changes. */
	async answer(setup: Partial<NodeSetup> = {}): Promise<string> {
		return await this.submit(setup).then(
			() => '',
			(error: unknown) => describe(error),
		);
	}

	/** Begins anew, and sets up what was published. */
	async boot(activation: WorkflowActivateMode = 'init'): Promise<void> {
		const { isServed } = this;
		await this.restart();
		if (isServed) await this.register(this.load(), activation);
	}

	/** From now on, what is sent to its URL is received by another process, as in queue mode. */
	async receiveElsewhere(): Promise<void> {
		this.receiver = await afterRestart();
	}

	/** Delivers to the company's latest active webhook, or else its latest. Returns the status of the answer. */
	async deliver(company: string, delivery: DeliveryRequest = {}): Promise<number> {
		const all = this.webhooks.filter(({ company_number }) => company_number === company);
		const webhook = all.filter(({ is_active }) => is_active).at(-1) ?? all.at(-1);
		if (!webhook) throw new Error(`There is no webhook of ${company} that delivers here`);
		return await this.deliverTo(webhook, delivery);
	}

	/** The same to one webhook. */
	async deliverTo({ id }: StoredWebhook, delivery: DeliveryRequest = {}): Promise<number> {
		const place = { ca: this.ca, ignoreActive: true };
		return (await this.simulator.deliver(id, { ...place, ...delivery })).status;
	}

	/** The same to each of these companies: how often which status was answered. */
	async deliverAll(companies: string[]): Promise<Record<string, number>> {
		const statuses: number[] = [];
		for (const company of companies) statuses.push(await this.deliver(company));
		return countBy(statuses);
	}

	/** Waits for so many failed executions. */
	async untilTold(count = 1): Promise<string[]> {
		const isTold = () => this.told.length >= count;
		await waitFor('a failed execution', isTold, { timeoutMs: 15_000, everyMs: 20 });
		return this.told;
	}

	/** Waits until it has sent nothing for a while. */
	async untilQuiet(): Promise<void> {
		const sent = () => this.simulator.requests.length;
		for (let before = -1; before !== sent(); await sleep(800)) before = sent();
	}

	/** The service's webhooks that deliver here. */
	get webhooks(): StoredWebhook[] {
		return this.simulator.webhooks().filter(({ url }) => url.startsWith(this.url));
	}

	/** Those of them whose secret is in the database. */
	get kept(): StoredWebhook[] {
		const text = JSON.stringify(this.staticData);
		return this.webhooks.filter(({ secret }) => text.includes(secret));
	}

	/** What n8n's webhook server does with a request. */
	private async receive(request: Request, response: Response): Promise<void> {
		if (this.isDead) return void request.socket.destroy();
		const nodeType = this.receiver ?? this.setup.nodeType;
		const staticData = structuredClone(this.staticData);
		const workflow = testWorkflow({ ...this.setup, nodeType, staticData });
		const handOver = (items?: INodeExecutionData[]) => {
			if (items) this.show({ items, error: '' });
		};
		const served = this.isServed ? { workflow, handOver } : undefined;
		await answerRequest(served, request, response).catch((error: unknown) => {
			response.status(500).json({ code: 0, message: 'Workflow Webhook Error' });
			this.show({ items: [], error: describe(error) });
		});
	}
}
