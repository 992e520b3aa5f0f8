import type { INodeProperties } from 'n8n-workflow';

import { comparableNumber } from './companyNumber';

const SEPARATOR = ' · ';

/** The field for a company, found by name or entered by number. */
export function companyNumberLocator(changes: Partial<INodeProperties> = {}): INodeProperties {
	return {
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
				hint: '8 letters and digits; leading zeros are optional',
			},
		],
		...changes,
	};
}

/** The label of a company in the picker, which n8n stores beside the number. */
export function companyLabel(company: {
	company_name?: string | null;
	company_number: string;
	company_status?: string | null;
}): string {
	const { company_name, company_number, company_status } = company;
	return [company_name, company_number, company_status].filter(Boolean).join(SEPARATOR);
}

/** The name in a label; null if it has none or belongs to another company. */
export function nameInLabel(label: unknown, companyNumber: string): string | null {
	const parts = typeof label === 'string' ? label.split(SEPARATOR) : [];
	const index = parts.map(comparableNumber).lastIndexOf(companyNumber);
	return index > 0 ? parts.slice(0, index).join(SEPARATOR) : null;
}
