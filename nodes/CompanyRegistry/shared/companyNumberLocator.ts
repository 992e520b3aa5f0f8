import type { INodeProperties } from 'n8n-workflow';

/** The field in which a user chooses a company: searched for by name, or entered by number. */
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
