import { withoutRepeats } from '../../lists/readList';
import { textOf } from '../../lists/table';
import { comparableNumber } from '../../shared/companyNumber';
import { FromRow, type Operation } from '../run';
import { readSource, sourceFields } from './source';

/** What needs a look first. */
const STATES = [
	'no company number',
	'not watched',
	'paused',
	'watched but not in the list',
	'watched',
] as const;
type State = (typeof STATES)[number];

export const compare: Operation = {
	option: {
		name: 'Compare with Account',
		value: 'compare',
		description: 'See which companies of a list are watched, paused or not watched',
		action: 'Compare company list with account',
	},
	takesTable: true,
	fields: sourceFields,
	prepare: (item) => {
		const listed = withoutRepeats(readSource(item));
		return async () => {
			const { webhooks } = await item.account.webhooks();
			const states = new Map<string, State>();
			for (const { company_number, is_active } of webhooks.values()) {
				const number = comparableNumber(company_number);
				if (is_active || !states.has(number)) states.set(number, is_active ? 'watched' : 'paused');
			}
			const stateOf = (number?: string) =>
				number === undefined ? 'no company number' : (states.get(number) ?? 'not watched');
			const numbers = new Set(listed.map(({ number }) => number));
			const rows: Array<[State, FromRow]> = listed.map(({ item: row = 0, number, entry, name }) => {
				const company_number = number ?? (textOf(entry) || null);
				const state = stateOf(number);
				return [state, new FromRow(row, { company_number, company_name: name, state })];
			});
			for (const [company_number, watched] of states) {
				if (watched === 'paused' || numbers.has(company_number)) continue;
				const state = 'watched but not in the list';
				rows.push([state, new FromRow(0, { company_number, company_name: null, state })]);
			}
			return STATES.flatMap((state) => rows.filter(([one]) => one === state).map(([, row]) => row));
		};
	},
};
