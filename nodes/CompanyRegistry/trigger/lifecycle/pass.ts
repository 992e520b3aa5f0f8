import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import type { Registry } from '../../registry/registry';
import { noFindings, type Outcome } from '../records/outcome';
import { followLink, type Configuration } from './configuration';
import { reconcile, type Pass } from './reconcile';

type PassOptions = Omit<Pass, 'desired' | 'registry' | 'mayPause'> & {
	/** Whether n8n starts: then only a link that was read just now takes a company out. */
	isStart: boolean;
};

/** One pass, and what has to be read before it: what cannot be read is the failure of its outcome. */
export async function runPass(
	context: IHookFunctions | ITriggerFunctions,
	read: Configuration,
	opening: Promise<Registry>,
	{ isStart, ...options }: PassOptions,
): Promise<Outcome> {
	const { memory, kind, signal } = options;
	try {
		const registry = await opening;
		const followed = await followLink(context, read, memory, kind === 'publish').catch(
			(problem: Error): Configuration => ({ ...read, reading: { ...read.reading, problem } }),
		);
		if (signal.aborted) return { ...read, ...noFindings() };

		memory.accept(followed);
		const { desired, reading } = followed;
		if (desired.companies.length === 0) {
			return { ...followed, ...noFindings({ failure: reading.problem }) };
		}
		// A link that was read just now says who has left.
		const mayPause = !isStart || (desired.followsLink && !reading.problem);
		const findings = await reconcile({ ...options, desired, registry, mayPause });
		return { desired, reading, ...findings };
	} catch (reason) {
		return { ...read, ...noFindings({ failure: reason }) };
	}
}
