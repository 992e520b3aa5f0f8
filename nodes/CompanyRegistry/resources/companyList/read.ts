import type { INodeProperties } from 'n8n-workflow';

import { withoutRepeats } from '../../lists/readList';
import { columnsOf } from '../../lists/rows';
import { problemOf } from '../../lists/words';
import { readOption } from '../readParameters';
import { FromRow, type Operation } from '../run';
import { readSource, refuseUnreadable, sourceFields } from './source';

const unreadableRowsField: INodeProperties = {
	displayName: 'Unreadable Rows',
	name: 'unreadableRows',
	type: 'options',
	options: [
		{ name: 'Fail', value: 'fail', description: 'Name all rows that hold no company number' },
		{ name: 'Pass On', value: 'passOn', description: 'Put them out, each with what is wrong' },
	],
	default: 'fail',
	description: 'What to do with rows that hold no company number, such as a sole trader or a total',
};

export const read = {
	option: {
		name: 'Read',
		value: 'read',
		description: 'Find the company numbers and names in the rows of a spreadsheet or in a text',
		action: 'Read company list',
	},
	takesTable: true,
	isOffline: true,
	fields: [...sourceFields, unreadableRowsField],
	prepare: (item) => {
		const chosen = item.parameter('unreadableRows', 'fail');
		const isPassedOn = readOption(item, unreadableRowsField, chosen) === 'passOn';
		const listed = readSource(item);
		if (!isPassedOn) refuseUnreadable(item, listed, "Or set 'Unreadable Rows' to 'Pass On'.");
		return async () =>
			withoutRepeats(listed).map((one) => {
				const { row: row_number, number: company_number = null, name: company_name } = one;
				const list_columns = columnsOf(one).columns;
				const json = { company_number, company_name, list_columns, row_number };
				const isRead = company_number !== null;
				return new FromRow(one.item ?? 0, isRead ? json : { ...json, problem: problemOf(one) });
			});
	},
} satisfies Operation;
