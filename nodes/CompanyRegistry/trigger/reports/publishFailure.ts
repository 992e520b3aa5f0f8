// Why a publish failed, and what an unpublish has left.
import { map } from 'lodash';

import { formatCompany, formatList, pluralise } from '../../shared/format';
import type { Subscription } from '../records/subscription';
import { whyUnwatched } from './reasons';
import type { Status } from './status';
import { explain, PAUSE, sentences, type Part } from './words';

const LATE = 'The registry service confirmed no webhook within a minute';
const PUBLISH_AGAIN = 'Publish again: existing webhooks are reused';

/** Row 3. n8n shows only this message, so it has the next step. @param isLate after a minute */
export function describeFailedPublish(status: Status, isLate: boolean): string {
	const causes = isLate ? [LATE, PUBLISH_AGAIN] : map(causesOf(status), inOneLine);
	return sentences([
		status.isFirst ? 'This workflow watches no company yet' : 'No company is watched',
		...causes,
	]);
}

/** What concerns all comes first; the next publish describes the rest. */
function causesOf(status: Status): Part[] {
	const { failing, unreadList, addressQuestion } = status;
	if (addressQuestion) return [{ words: addressQuestion }];
	if (failing && failing.reason !== unreadList?.reason) {
		return [{ words: explain(failing.reason, PUBLISH_AGAIN) }];
	}
	if (unreadList) return [{ words: explain(unreadList.reason) }];
	return status.isFinished ? whyUnwatched(status) : [];
}

function inOneLine({ words, list = [] }: Part): string {
	return list.length > 0 ? `${words.replace(/\.$/, '')}: ${formatList(list)}` : words;
}

/** Row 22, for the log: webhooks that stay active after an unpublish. */
export function describeUnpaused(
	subscriptions: ReadonlyArray<Pick<Subscription, 'id' | 'company'>>,
	why: string,
): string {
	const what = `${pluralise(subscriptions.length, 'webhook')} could not be paused and may stay active: ${why}`;
	const list = subscriptions.map(
		({ id, company }) => `${id} (${formatCompany(company, new Map())})`,
	);
	return `${sentences([what, 'The next publish reuses them'])} ${PAUSE}: ${list.join(', ')}`;
}
