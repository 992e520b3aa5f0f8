import type { INodeProperties } from 'n8n-workflow';

import { comparableNumber } from './companyNumber';

/** Between the parts of a label in a picker. */
export const LABEL_SEPARATOR = ' · ';

/** The field for a company, found by name or entered by number. */
export const companyNumberField: INodeProperties = {
	displayName: 'Company Number',
	name: 'companyNumber',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'Search by name, or enter the number',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Search by company name…',
			typeOptions: {
				searchListMethod: 'searchCompanies',
				searchable: true,
				searchFilterRequired: true,
			},
		},
		{
			displayName: 'By Number',
			name: 'number',
			type: 'string',
			placeholder: 'e.g. 99000001',
			hint: '8 characters, such as SC990001. You may omit one or two leading zeros.',
		},
	],
};

/** The label of a company in the picker, which n8n stores beside the number. */
export function companyLabel(name: unknown, number: string, status: unknown): string {
	return [name, number, status].filter(Boolean).join(LABEL_SEPARATOR);
}

/** The name in a label; null if it has none or belongs to another company. */
export function nameInLabel(label: unknown, companyNumber: string): string | null {
	const parts = typeof label === 'string' ? label.split(LABEL_SEPARATOR) : [];
	const index = parts.map(comparableNumber).lastIndexOf(companyNumber);
	return index > 0 ? parts.slice(0, index).join(LABEL_SEPARATOR) : null;
}
