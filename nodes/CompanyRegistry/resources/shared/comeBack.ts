import { sleep } from 'n8n-workflow';

import type { RegistryFailure } from '../../shared/registry/registryFailure';

/** How long one item waits in all, in milliseconds. */
const MAXIMUM_WAIT = 60_000;
const SHORTEST_WAIT = 250;

/** Thrown for an answer that asks to send the request again later: it was refused, not lost. */
export class AskedToComeBack extends Error {
	constructor(
		readonly failure: RegistryFailure,
		/** Milliseconds. */
		readonly after: number,
	) {
		super(failure.message);
	}
}

/**
 * Sends as often as the service asks to come back. Items of one run ask at the same time, so each
 * waits a little longer than asked by chance, up to twice: else all would be refused again together.
 * @throws the failure itself when that takes too long
 */
export async function comeBackWhenAsked<Answer>(send: () => Promise<Answer>): Promise<Answer> {
	for (let waited = 0; ; ) {
		const outcome = await send().then(
			(answer) => ({ answer }),
			(reason: unknown) => ({ reason }),
		);
		if ('answer' in outcome) return outcome.answer;
		const { reason } = outcome;
		if (!(reason instanceof AskedToComeBack)) throw reason;

		const wait = Math.max(reason.after, SHORTEST_WAIT) * (1 + Math.random());
		waited += wait;
		if (waited > MAXIMUM_WAIT) throw reason.failure;
		await sleep(wait);
	}
}
