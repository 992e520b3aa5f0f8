import type { INodeProperties } from 'n8n-workflow';

import { readCompanyNumber, readText, refuseValue } from '../readParameters';
import type { Operation } from '../run';
import { readRecordPath, recordPathField } from './getRecord';
import { KNOWN, readKnown } from './known';

const knownField: INodeProperties = {
	displayName: 'Known',
	name: 'known',
	type: 'string',
	default: '',
	placeholder: 'e.g. known1 0aB3dE6gH',
	description:
		"What this operation put out as 'known' the last time. If empty, nothing is new yet: it only remembers.",
};

export const getNew = {
	option: {
		name: 'Get What Is New',
		value: 'getNew',
		description: 'Read a record and find what was not in it the last time',
		action: 'Get what is new in company record',
	},
	takesCompany: true,
	fields: [recordPathField, knownField],
	prepare: (item) => {
		const company_number = readCompanyNumber(item);
		const path = readRecordPath(item, company_number);
		const known = readText(item, knownField, item.parameter('known', ''));
		if (known !== '' && !KNOWN.test(known)) {
			const next = "Use the text that this operation put out as 'known' the last time, unchanged.";
			throw refuseValue(item, knownField, known, next);
		}
		return async () => {
			const { entries, isList } = await item.account.get(path);
			const memory = readKnown(known);
			const found = memory.takeIn(entries, isList);
			return [
				{
					company_number,
					entries: known === '' ? [] : found,
					known: memory.toString(),
				},
			];
		};
	},
} satisfies Operation;
