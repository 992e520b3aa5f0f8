import { sortBy } from 'lodash';

import { withoutRepeats } from '../../lists/readList';
import { cellText } from '../../shared/words';
import type { Webhook } from '../../registry/webhooks';
import { comparableNumber } from '../../shared/companyNumber';
import { FromRow, type Operation } from '../run';
import { readSource, sourceFields } from './source';

/** Rows that a person should look at come first. */
const STATES = [
	'no company number',
	'not watched',
	'not known',
	'paused',
	'watched but not in the list',
	'watched',
] as const;
type State = (typeof STATES)[number];

export const compare = {
	option: {
		name: 'Compare with Account',
		value: 'compare',
		description: 'Find out which companies of a list are watched, paused or not watched',
		action: 'Compare company list with account',
	},
	takesTable: true,
	fields: sourceFields,
	prepare: (item) => {
		const listed = withoutRepeats(readSource(item));
		return async () => {
			const { webhooks, unread, hasMore, receivedAt } = await item.account.webhooks();
			const ofCompanies = byCompany(webhooks.values());
			const isWhole = !hasMore && unread === 0;
			const lineOf = (
				row: number | undefined,
				company_number: string | null,
				company_name: string | null,
				state: State,
				webhook?: Webhook,
			) =>
				new FromRow(row, {
					company_number,
					company_name,
					state,
					events: webhook?.events ?? [],
					webhook_id: webhook?.id ?? null,
					checked_at: receivedAt,
					base_url: item.account.registry.baseUrl,
				});
			const lines: Array<ReturnType<typeof lineOf>> = [];
			const numbers = new Set<string>();
			for (const { item: row = 0, entry, name: company_name, number } of listed) {
				numbers.add(number ?? '');
				const company_number = number ?? (cellText(entry) || null);
				const webhook = ofCompanies.get(number ?? '');
				const state = number === undefined ? 'no company number' : stateOf(webhook, isWhole);
				lines.push(lineOf(row, company_number, company_name, state, webhook));
			}
			for (const [company_number, webhook] of ofCompanies) {
				if (!webhook.is_active || numbers.has(company_number)) continue;
				lines.push(lineOf(undefined, company_number, null, 'watched but not in the list', webhook));
			}
			return sortBy(lines, ({ json }) => STATES.indexOf(json.state));
		};
	},
} satisfies Operation;

/** One webhook of each company: of those that are active, if there are any, the one with the most events. */
function byCompany(webhooks: Iterable<Webhook>): Map<string, Webhook> {
	const found = new Map<string, Webhook>();
	for (const webhook of sortBy([...webhooks], 'is_active', 'events.length')) {
		found.set(comparableNumber(webhook.company_number), webhook);
	}
	return found;
}

function stateOf(webhook: Webhook | undefined, isWhole: boolean): State {
	if (webhook === undefined) return isWhole ? 'not watched' : 'not known';
	return webhook.is_active ? 'watched' : 'paused';
}
