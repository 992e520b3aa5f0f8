import { pluralise } from '../../shared/format';
import type { Known } from '../lifecycle/subscription';
import { PAUSE, sentences } from './words';

/** For the log: webhooks that stay active after an unpublish. */
export function describeUnpaused(
	subscriptions: ReadonlyArray<Pick<Known, 'id' | 'company'>>,
	why: string,
): string {
	const what = `${pluralise(subscriptions.length, 'webhook')} could not be paused and may stay active: ${why}`;
	const names = subscriptions.map(({ id, company }) => `${id} (${company})`).join(', ');
	return `${sentences([what, 'The next publish reuses them'])} ${PAUSE}: ${names}`;
}
