import type { INodeProperties } from 'n8n-workflow';

import type { RecordName } from '../../registry/servicePaths';
import { companyNumberField } from '../../shared/companyNumberLocator';
import { readCompanyNumber, readOption, readText, refuseValue } from '../readParameters';
import type { Item, Operation } from '../run';
import { changesSince, CHECKPOINT } from './checkpoint';
import { readNamedPath, readRecordPath, recordPathField } from './readPath';

const recordField: INodeProperties = {
	displayName: 'Record',
	name: 'record',
	type: 'options',
	options: [
		{ name: 'Company', value: 'company', description: 'The details of the company' },
		{ name: 'Filings', value: 'filings', description: 'The documents that it has filed' },
		{ name: 'Officers', value: 'officers', description: 'Its directors and other officers' },
		{ name: 'Other Path', value: 'path', description: 'Any other record, by its path' },
		{ name: 'PSCs', value: 'pscs', description: 'Its persons with significant control' },
	],
	default: 'filings',
	description: 'The record to compare with the previous run',
};

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
	fields: [
		companyNumberField,
		recordField,
		{ ...recordPathField, displayOptions: { show: { record: ['path'] } } },
		checkpointField,
	],
	prepare: (item) => {
		const company_number = readCompanyNumber(item);
		const path = readPath(item, company_number);
		const checkpoint = readText(item, checkpointField, item.parameter('checkpoint', ''));
		if (checkpoint !== '' && !CHECKPOINT.test(checkpoint)) {
			const next = "Use the field 'checkpoint' of the previous run's output, unchanged.";
			throw refuseValue(item, checkpointField, checkpoint, next);
		}
		return async () => {
			const { entries: record, isList } = await item.account.record(path);
			const changes = changesSince(record, isList, checkpoint);
			return [{ company_number, ...changes, entries: checkpoint === '' ? [] : changes.entries }];
		};
	},
} satisfies Operation;

function readPath(item: Item, companyNumber: string): string {
	const record = readOption(item, recordField, item.parameter('record', recordField.default));
	if (record === 'path') return readRecordPath(item, companyNumber);
	return readNamedPath(item, record as RecordName, companyNumber);
}
