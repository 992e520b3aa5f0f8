import { mapValues, pick } from 'lodash';
import type { HookContext } from 'n8n-core';
import type { INodeType } from 'n8n-workflow';

/** What a process that was killed waits for. */
const NEVER = new Promise<never>(() => undefined);

/** A process of n8n within this one: a copy of the trigger's code, which can be killed. */
export class N8nProcess {
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
