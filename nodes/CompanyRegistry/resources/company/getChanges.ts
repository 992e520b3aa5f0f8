import type { INodeProperties } from 'n8n-workflow';

import { companyNumberField } from '../../shared/companyNumberLocator';
import { readCompanyNumber, readText, refuseValue } from '../readParameters';
import type { Operation } from '../run';
import { changesSince, CHECKPOINT } from './checkpoint';
import { readRecordPath, recordPathField } from './getByPath';

const checkpointField: INodeProperties = {
	displayName: 'Checkpoint',
	name: 'checkpoint',
	type: 'string',
	default: '',
	placeholder: 'e.g. checkpoint1 0aB3dE6gH',
	description: "The 'checkpoint' of the previous run. Leave empty on the first run.",
};

export const getChanges = {
	option: {
		name: 'Get Changes',
		value: 'getChanges',
		description: 'Read a record and return what has changed since the previous run',
		action: 'Get changes of company record',
	},
	fields: [companyNumberField, recordPathField, checkpointField],
	prepare: (item) => {
		const company_number = readCompanyNumber(item);
		const path = readRecordPath(item, company_number);
		const checkpoint = readText(item, checkpointField, item.parameter('checkpoint', ''));
		if (checkpoint !== '' && !CHECKPOINT.test(checkpoint)) {
			const next = "Use the field 'checkpoint' of the previous run's output, unchanged.";
			throw refuseValue(item, checkpointField, checkpoint, next);
		}
		return async () => {
			const { entries: record, isList } = await item.account.get(path);
			const changes = changesSince(record, isList, checkpoint);
			return [{ company_number, ...changes, entries: checkpoint === '' ? [] : changes.entries }];
		};
	},
} satisfies Operation;
