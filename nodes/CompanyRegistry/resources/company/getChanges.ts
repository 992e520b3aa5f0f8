import type { INodeProperties } from 'n8n-workflow';

import { companyNumberField } from '../../shared/companyNumberLocator';
import { readCompanyNumber, readText, refuseValue } from '../readParameters';
import type { Operation } from '../run';
import { readRecordPath, recordPathField } from './getByPath';
import { KNOWN, newIn } from './checkpoint';

const knownField: INodeProperties = {
	displayName: 'Known Entries',
	name: 'known',
	type: 'string',
	default: '',
	placeholder: 'e.g. known1 0aB3dE6gH',
	description:
		"The field 'known' of the previous run's output. Leave empty on the first run, which returns no entries.",
};

export const getNew = {
	option: {
		name: 'Get What Is New',
		value: 'getNew',
		description: 'Read a record and return the entries that are new since the last run',
		action: 'Get what is new in company record',
	},
	fields: [companyNumberField, recordPathField, knownField],
	prepare: (item) => {
		const company_number = readCompanyNumber(item);
		const path = readRecordPath(item, company_number);
		const known = readText(item, knownField, item.parameter('known', ''));
		if (known !== '' && !KNOWN.test(known)) {
			const next = "Use the field 'known' of the previous run's output, unchanged.";
			throw refuseValue(item, knownField, known, next);
		}
		return async () => {
			const { entries: record, isList } = await item.account.get(path);
			const found = newIn(record, isList, known);
			return [{ company_number, ...found, entries: known === '' ? [] : found.entries }];
		};
	},
} satisfies Operation;
