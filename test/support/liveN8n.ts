// An n8n that reaches itself: its database, the life-cycle calls that it makes, and the URL at which it serves
// the trigger. As read in n8n 2.40.7's live-webhooks.js, webhook-helpers.js, workflow-trigger-activator.js and
// webhook-trigger-registrar.js, and in 1.123.81's active-workflow-manager.js.
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Request, Response } from 'express';
import { countBy, isEqual, mapValues, pick, sortBy } from 'lodash';
import type { HookContext } from 'n8n-core';
import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	WebhookSetupMethodNames,
} from 'n8n-workflow';
import { generate } from 'selfsigned';

import { MESSAGE_HEADER } from '../../nodes/CompanyRegistry/trigger/messages/receiveMessage';
import { waitFor } from '../n8n-host/waitFor';
import type { DeliveryRequest, Simulator, StoredWebhook } from '../simulator';
import { Sender, type DeliveryAnswer } from '../simulator/sender';
import { testWorkflow, type NodeSetup, type TestWorkflow } from './contexts';
import { afterStart, setWaits } from './loadedTriggers';
import { captureLog } from './logCapture';
import { callHook, saved, watching } from './savedWorkflow';
import { answerRequest, webhookApp } from './webhookServer';

/** By this name n8n knows itself. Others reach it by its number. */
const OWN_HOST = 'localhost';

/** An execution of the workflow, as n8n lists it. */
interface ShownExecution {
	/** Of one that has succeeded. */
	items: INodeExecutionData[];
	/** Message and description of one that has failed; empty otherwise. */
	error: string;
}

/** A request that n8n has sent to its own address. */
export interface OwnRequest {
	/** With its query. */
	url: string;
	headers: Request['headers'];
	body: Buffer;
	/** Milliseconds since the epoch. */
	began: number;
	/** The same; undefined as long as it has no answer. */
	ended?: number;
}

/**
 * What becomes of requests of n8n to its own address; `pageOfProxy`: a proxy shows a page of its own in place of
 * an answer 500. Deliveries from outside always arrive.
 */
export type Reach = 'reached' | 'refused' | 'elsewhere' | 'answersLost' | 'pageOfProxy';

type LiveSetup = Omit<NodeSetup, 'nodeType' | 'staticData' | 'webhookBaseUrl'>;

interface LiveOptions extends LiveSetup {
	/** 2.40 unless given. */
	version?: '1.x' | '2.40';
}

/** What 2.40 compares of a trigger: it calls only one of which something has changed. */
const REGISTRATION = ['name', 'type', 'typeVersion', 'webhookId', 'credentials', 'parameters'];

/** What a process that was killed waits for. */
const NEVER = new Promise<never>(() => undefined);

let workflows = 0;

/**
 * Starts n8n for the tests of this file or group, ended after each. Call it before what starts the service: what
 * n8n does must end first.
 */
export function n8nForEachTest(): typeof LiveN8n.start {
	const running: LiveN8n[] = [];
	beforeEach(() => shortenWaits());
	afterEach(async () => {
		await Promise.all(running.splice(0).map(async (n8n) => await n8n.close()));
	});
	return async (...args) => {
		const n8n = await LiveN8n.start(...args);
		running.push(n8n);
		return n8n;
	};
}

/** From now on the trigger waits so long, and otherwise less than users do, and long enough for a busy machine. */
export function shortenWaits(waits: Parameters<typeof setWaits>[0] = {}): void {
	setWaits({
		answer: 15_000,
		patience: 2500,
		store: 400,
		beforePausing: 300,
		retry: 100,
		takeOver: 500,
		longestRetry: 500,
		askSaved: 30,
		saved: 3000,
		pace: 350,
		...waits,
	});
}

/** From now on the clock is so much ahead, in milliseconds, until jest restores it. */
export function passTime(milliseconds: number): void {
	const clock = Date.now.bind(Date);
	jest.spyOn(Date, 'now').mockImplementation(() => clock() + milliseconds);
}

/** How many of these overlapped with one that had come before. */
export function overlapping(requests: OwnRequest[]): number {
	const ordered = sortBy(requests, 'began');
	return ordered.filter(({ began }, index) =>
		ordered.slice(0, index).some(({ ended = Infinity }) => ended > began),
	).length;
}

/** One n8n, with one workflow that watches companies. */
export class LiveN8n {
	/** As saved in the database. */
	staticData: IDataObject = {};
	/** Of the workflow, in order. */
	readonly executions: ShownExecution[] = [];
	/** In order. */
	readonly ownRequests: OwnRequest[] = [];
	/** How often it has saved static data, and how often of it only after the answer to a request. */
	saves = 0;
	savedTooLate = 0;
	/** Lines of its log. */
	log: string[] = [];
	/** Whether it reaches itself at its own address. It never does at the local one. */
	itself: Reach = 'reached';

	/** The workflow as it was published last. */
	private published: LiveSetup | undefined;
	private isServed = false;
	/** None once it is killed. */
	private process: N8nProcess | undefined;
	/** In queue mode, another one receives what is sent to its URL. */
	private receiver: INodeType | undefined;
	private publication: Promise<unknown> = Promise.resolve();
	private names = 0;
	/** Copies of the trigger's code that it has loaded. */
	private processes = 0;

	private constructor(
		private readonly simulator: Simulator,
		readonly url: string,
		private readonly ca: string,
		readonly close: () => Promise<void>,
		private readonly version: '1.x' | '2.40',
		private readonly setup: LiveSetup,
	) {}

	/** Starts it; its own address is https. */
	static async start(
		simulator: Simulator,
		companies: string[],
		{ version = '2.40', ...setup }: LiveOptions = {},
	): Promise<LiveN8n> {
		// Valid for 127.0.0.1 as well: the package adds that for this common name.
		const { cert, private: key } = await generate([{ name: 'commonName', value: OWN_HOST }], {
			keyType: 'ec',
			algorithm: 'sha256',
		});
		const app = webhookApp(async (request, response) => await n8n.receive(request, response));
		const server = createServer({ cert, key }, app);
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as AddressInfo;
		const close = async () => {
			n8n.kill();
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		};
		const { url: baseUrl, apiKey } = simulator;
		const own = `https://${OWN_HOST}:${port}`;
		const whole = {
			parameters: watching(companies),
			credentials: { companyRegistryApi: { baseUrl, apiKey } },
			// No two tests share a workflow, although they share copies of the trigger's code.
			workflowId: `live-${++workflows}`,
			...setup,
		};
		const n8n = new LiveN8n(simulator, own, cert, close, version, whole);
		await n8n.boot();
		n8n.log = captureLog(n8n.load(n8n.setup));
		return n8n;
	}

	/**
	 * Publishes the workflow with these changes, as far as n8n waits for it.
	 * @returns what n8n shows as the reason of its failure; empty when it has succeeded
	 */
	async publish(change: Partial<LiveSetup> = {}): Promise<string> {
		return await this.exclusively(async () => {
			const before = this.published;
			Object.assign(this.setup, change);
			const next = { ...this.setup };
			if (before && this.isServed && this.isUnchanged(before, next)) return '';
			// In 2.40 both calls of a change see one object, read before.
			let entity = this.stored();
			if (before && this.isServed) {
				await this.takeDown(before, entity);
				if (this.version === '1.x') entity = this.stored();
			}
			this.published = next;
			return await this.register(next, entity);
		});
	}

	/** The same with these companies, and other parameters. */
	async watch(companies: string[], more: INodeParameters = {}): Promise<string> {
		return await this.publish({ parameters: watching(companies, more) });
	}

	/** The same with nothing changed but the node's name, so that n8n calls it. */
	async publishAgain(): Promise<string> {
		return await this.publish({ node: { ...this.setup.node, name: `Trigger ${++this.names}` } });
	}

	async unpublish(): Promise<void> {
		await this.exclusively(async () => {
			if (this.published && this.isServed) await this.takeDown(this.published, this.stored());
			this.published = undefined;
		});
	}

	/** As a SIGKILL: what is sent to it gets no answer. */
	kill(): void {
		this.process?.kill();
		this.process = undefined;
		this.publication = Promise.resolve();
	}

	/** Starts it anew. 2.40 calls nothing of a trigger that its database says is registered. */
	async boot(): Promise<void> {
		this.kill();
		this.process = new N8nProcess(await afterStart(this.processes++));
		const { published } = this;
		if (this.version === '2.40' || !this.isServed || !published) return;
		await this.exclusively(async () => await this.register(published, this.stored()));
	}

	/** The package is updated: n8n loads its code anew, and what the old one has begun goes on. */
	async updatePackage(): Promise<void> {
		this.process = new N8nProcess(await afterStart(this.processes++));
	}

	/** From now on, what is sent to its URL is received by another process, as in queue mode. */
	async receiveElsewhere(): Promise<void> {
		this.receiver = await afterStart(this.processes++);
	}

	/** Delivers to the company's latest active webhook, or else its latest. Returns the status of the answer. */
	async deliver(company: string, delivery: DeliveryRequest = {}): Promise<number> {
		const all = this.webhooks.filter(({ company_number }) => company_number === company);
		const webhook = all.filter(({ is_active }) => is_active).at(-1) ?? all.at(-1);
		if (!webhook) throw new Error(`There is no webhook of ${company} that delivers here`);
		return await this.deliverTo(webhook, delivery);
	}

	/** The same to one webhook. */
	async deliverTo({ id, url }: StoredWebhook, delivery: DeliveryRequest = {}): Promise<number> {
		const place = { url: fromOutside(url), ca: this.ca, ignoreActive: true };
		return (await this.simulator.deliver(id, { ...place, ...delivery })).status;
	}

	/** Any POST to its address, as anybody may send one. */
	async post(url: string, headers: Record<string, string>, body: Buffer): Promise<DeliveryAnswer> {
		const sender = new Sender();
		try {
			const whole = fromOutside(this.url + url);
			const answer = await sender.post(whole, headers, body, this.ca);
			return { ...answer, headers: {} };
		} finally {
			sender.close();
		}
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

	/** Waits until it has sent nothing for a while, to itself or to the service. */
	async untilQuiet(): Promise<void> {
		const sent = () => this.ownRequests.length + this.simulator.requests.length;
		for (let before = -1; before !== sent(); await sleep(800)) before = sent();
	}

	/** What its failed executions say. */
	get told(): string[] {
		return this.executions.map(({ error }) => error).filter(Boolean);
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

	/** In 2.40, publications of a workflow never overlap. */
	private async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
		const { process } = this;
		if (process === undefined) throw new Error('n8n does not run');
		const turn = this.publication.then(work, work);
		this.publication = turn.catch(() => undefined);
		return await process.during(turn);
	}

	/** Registers the trigger: its URL is served before it is asked anything. */
	private async register(setup: LiveSetup, entity: IDataObject): Promise<string> {
		const loaded = this.load(setup, entity);
		this.isServed = true;
		try {
			const exists = await this.call('checkExists', loaded);
			if (!exists) await this.call('create', loaded);
			this.save(loaded);
			return '';
		} catch (error) {
			// 2.40 deletes on the same object; 1.x discards what the failed call has written.
			await this.delete(this.version === '1.x' ? this.load(setup) : loaded);
			return describe(error);
		}
	}

	private async takeDown(setup: LiveSetup, entity: IDataObject): Promise<void> {
		if (this.version === '2.40') this.isServed = false;
		await this.delete(this.load(setup, entity));
	}

	private async delete(loaded: TestWorkflow): Promise<void> {
		await this.call('delete', loaded);
		this.save(loaded);
		this.isServed = false;
	}

	private async call(name: WebhookSetupMethodNames, loaded: TestWorkflow): Promise<boolean> {
		const { process } = this;
		// What a killed process was about to do is not done.
		if (process?.nodeType !== loaded.nodeType) return await new Promise(() => undefined);
		const own = process.own.bind(process);
		return await process.during(callHook(name, loaded, false, own));
	}

	/** What n8n's webhook server does with a request. */
	private async receive(request: Request, response: Response): Promise<void> {
		const isOwn = request.headers.host?.startsWith(OWN_HOST) === true;
		const own: OwnRequest = {
			url: request.originalUrl,
			headers: request.headers,
			body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
			began: Date.now(),
		};
		if (isOwn) {
			this.ownRequests.push(own);
			response.once('finish', () => Object.assign(own, { ended: Date.now() }));
			if (this.itself === 'elsewhere') return void response.send('<h1>It works!</h1>');
		}
		if (this.process === undefined || (isOwn && this.itself === 'refused')) {
			return void request.socket.destroy();
		}
		if (isOwn && this.itself === 'answersLost') {
			response.json = () => response.destroy();
		}
		if (isOwn && this.itself === 'pageOfProxy') {
			const json = response.json.bind(response);
			response.json = (body: unknown) => {
				if (response.statusCode !== 500) return json(body);
				response.removeHeader(MESSAGE_HEADER);
				return response.send('<h1>Something went wrong</h1>');
			};
		}
		const workflow = this.served();
		const handOver = (items?: INodeExecutionData[]) => {
			if (items) this.executions.push({ items, error: '' });
			if (workflow) this.save(workflow, response.writableEnded);
		};
		const served = workflow && { workflow, handOver };
		await answerRequest(served, request, response).catch((error: unknown) => {
			// n8n answers first, and shows the execution then.
			response.status(500).json({ code: 0, message: 'Workflow Webhook Error' });
			this.executions.push({ items: [], error: describe(error) });
		});
	}

	/** The published workflow, as n8n builds it for each request. */
	private served(): TestWorkflow | undefined {
		if (!this.published || !this.isServed) return undefined;
		return this.load(this.published, this.stored(), this.receiver);
	}

	private load(setup: LiveSetup, staticData = this.stored(), receiver?: INodeType): TestWorkflow {
		const nodeType = receiver ?? this.process?.nodeType;
		if (nodeType === undefined) throw new Error('n8n does not run');
		return testWorkflow({
			...setup,
			nodeType,
			staticData,
			webhookBaseUrl: `${this.url}/webhook`,
		});
	}

	private isUnchanged(before: LiveSetup, next: LiveSetup): boolean {
		const [one, other] = [before, next].map((setup) => pick(this.load(setup).node, REGISTRATION));
		return this.version === '2.40' && isEqual(one, other);
	}

	private stored(): IDataObject {
		return structuredClone(this.staticData);
	}

	/** n8n saves what was changed, as a whole. */
	private save(loaded: TestWorkflow, isTooLate = false): void {
		const { staticData } = loaded.workflow;
		if (this.process === undefined || staticData.__dataChanged !== true) return;
		this.saves++;
		if (isTooLate) this.savedTooLate++;
		this.staticData = saved(loaded);
		staticData.__dataChanged = false;
	}
}

/** A process of n8n within this one: a copy of the trigger's code, which can be killed. */
class N8nProcess {
	/** Rejects when it is killed. */
	private readonly death: Promise<never>;
	private readonly life = new AbortController();

	constructor(readonly nodeType: INodeType) {
		const { signal } = this.life;
		this.death = new Promise((_resolve, reject) => {
			signal.addEventListener('abort', () => reject(new Error('n8n was killed')));
		});
		this.death.catch(() => undefined);
	}

	/** As a SIGKILL: no request leaves it any more, and it learns of no answer. */
	kill(): void {
		this.life.abort();
	}

	/** What is done in it, unless it is killed meanwhile. */
	async during<Result>(work: Promise<Result>): Promise<Result> {
		return await Promise.race([work, this.death]);
	}

	/** Has the context's requests end with this process, and trust n8n's own certificate. */
	own(context: HookContext): HookContext {
		const { signal } = this.life;
		const requests = pick(context.helpers, ['httpRequest', 'httpRequestWithAuthentication']);
		const owned = mapValues(requests, (request: (...args: never[]) => Promise<unknown>) => {
			return async function (this: unknown, ...args: never[]): Promise<unknown> {
				if (signal.aborted) return await NEVER;
				Object.assign(args.at(-1) ?? {}, { skipSslCertificateValidation: true });
				try {
					return await request.apply(this, args);
				} finally {
					if (signal.aborted) await NEVER;
				}
			};
		});
		Object.assign(context.helpers, owned);
		return context;
	}
}

function fromOutside(url: string): string {
	return url.replace(OWN_HOST, '127.0.0.1');
}

function describe(error: unknown): string {
	const { message, description } = error as { message: string; description?: string | null };
	return [message, description].filter(Boolean).join(' ');
}
