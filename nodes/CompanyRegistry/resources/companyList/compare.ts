import { sortBy } from 'lodash';

import { withoutRepeats } from '../../lists/list';
import { cellText } from '../../shared/format';
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
interface Company {
	company_number: string | null;
	company_name: string | null;
	state: State;
}

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
			const { webhooks, isWhole, receivedAt } = await item.account.webhooks();
			const ofCompanies = byCompany(webhooks.values());
			const base_url = item.account.registry.baseUrl;
			const lineOf = (row: number | undefined, company: Company, webhook?: Webhook) =>
				new FromRow(row, {
					...company,
					events: webhook?.events ?? [],
					webhook_id: webhook?.id ?? null,
					checked_at: receivedAt,
					base_url,
				});
			const lines = listed.map(({ item: row = 0, entry, name: company_name, number = '' }) => {
				const webhook = ofCompanies.get(number);
				const state = number === '' ? 'no company number' : stateOf(webhook, isWhole);
				const company_number = number || cellText(entry) || null;
				return lineOf(row, { company_number, company_name, state }, webhook);
			});
			for (const { number = '' } of listed) ofCompanies.delete(number);
			const state = 'watched but not in the list';
			const others = [...ofCompanies]
				.filter(([, webhook]) => webhook.is_active)
				.map(([company_number, webhook]) =>
					lineOf(undefined, { company_number, company_name: null, state }, webhook),
				);

			return sortBy([...lines, ...others], ({ json }) => STATES.indexOf(json.state));
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
