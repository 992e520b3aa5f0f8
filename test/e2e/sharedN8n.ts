import { Cleanups } from '../n8n-host/cleanups';
import type { N8nClient } from '../n8n-host/n8nClient';
import type { N8nOptions } from '../n8n-host/n8nProcess';
import { dataTables } from './examples/dataTables';
import { startReachableN8n, type ReachableN8n } from '../n8n-host/reachableN8n';

/** One n8n for the test files of a process, which have it one after the other, each as if it were new. */
export class SharedN8n {
	private running?: ReachableN8n;

	private readonly cleanups = new Cleanups();

	private isLent = false;

	constructor(private readonly options: Pick<N8nOptions, 'isHeadless'>) {}

	/** To one at a time. */
	async lend() {
		this.isLent = true;
		try {
			const options = { ...this.options, isInBackground: true };
			this.running ??= await startReachableN8n(this.cleanups, options);
		} catch (error) {
			await this.takeBack();
			throw error;
		}
		const { host, ca, client } = this.running;
		const beginning = host.logs().length;
		let isRunning = true;
		let hasItsSettings = true;
		return {
			ca,
			host: {
				...host,
				logs: () => host.logs().slice(beginning),
				async kill() {
					isRunning = false;
					await host.kill();
				},
				async restart(env = {}) {
					hasItsSettings &&= Object.keys(env).length === 0;
					await host.restart(env);
					isRunning = true;
				},
			},
			/** Empties it for the next borrower, or ends it where it is not as it was lent. */
			giveBack: async () => {
				const isAsLent = isRunning && hasItsSettings;
				const problem = isAsLent && (await empty(client).catch((error: Error) => error));
				if (problem) console.error('The n8n of the next test file is started anew:', problem);
				if (isAsLent && !problem) this.isLent = false;
				else await this.takeBack();
			},
		};
	}

	/** Ends it where its borrower has not given it back. */
	async takeBack(): Promise<void> {
		if (!this.isLent) return;
		await this.cleanups.run();
		this.running = undefined;
		this.isLent = false;
	}

	/** At once, for a process that is about to end. */
	abandon(): void {
		this.running?.host.abandon();
	}
}

/** Removes what a test file has made in n8n and the next one could see. */
async function empty(client: N8nClient): Promise<void> {
	const list = async <Thing>(path: string) => await client.request<Thing[]>('GET', path);
	const workflows = await list<{ id: string; isArchived: boolean }>('/workflows');
	await Promise.all(
		workflows.map(async ({ id, isArchived }) => {
			if (isArchived) await client.request('DELETE', `/workflows/${id}`);
			else await client.deleteWorkflow(id);
		}),
	);
	const credentials = await list<{ id: string }>('/credentials');
	const things = [
		...credentials.map(({ id }) => `/credentials/${id}`),
		...(await dataTables(client)).map(({ path }) => path),
	];
	await Promise.all(things.map(async (path) => await client.request('DELETE', path)));
}
