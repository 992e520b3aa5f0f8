import { intersection, map } from 'lodash';

import { isRefusal } from './failures';
import type { DesiredState, Reading } from './desired';
import { mayDeliver, type Subscription } from './subscription';

/** Findings of one pass, collected on its way. */
export interface Findings {
	/** Whether the service has answered with the list of webhooks. */
	isChecked: boolean;
	/** Companies that the service refused, with the reason. */
	refused: Map<string, unknown>;
	/** Ids of other active webhooks of the desired companies, by company. */
	others: Record<string, string[]>;
	/** Why the pass did not come to its end. */
	failure?: unknown;
}

/** The result of one pass. */
export interface Outcome extends Findings {
	desired: DesiredState;
	reading: Reading;
}

export function noFindings(more: Partial<Findings> = {}): Findings {
	return { isChecked: false, refused: new Map(), others: {}, ...more };
}

/** Whether the pass did not come to its end, for a reason other than what it asked for. */
export function isFailing({ isChecked, failure }: Findings): boolean {
	if (failure === undefined) return false;
	return !isChecked || !isRefusal(failure);
}

/** Desired companies of which deliveries may arrive here. */
export function deliveringCompanies(
	subscriptions: Subscription[],
	{ companies, url }: Pick<DesiredState, 'companies' | 'url'>,
): string[] {
	const delivering = subscriptions.filter((one) => mayDeliver(one, url));
	return intersection(companies, map(delivering, 'company'));
}
