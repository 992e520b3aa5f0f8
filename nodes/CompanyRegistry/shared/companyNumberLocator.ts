import {
	NodeOperationError,
	type IExecuteSingleFunctions,
	type INodeProperties,
} from 'n8n-workflow';

import { invalidCompanyNumber, normaliseCompanyNumber } from './companyNumber';

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
				// n8n shows no more of this than fits beside the field.
				displayName: 'Number',
				name: 'number',
				type: 'string',
				placeholder: 'e.g. 00445790',
				hint: '8 letters and digits; leading zeros are optional',
			},
		],
		...changes,
	};
}

/**
 * The normalised number in a company field.
 * @throws NodeOperationError when it is no company number
 */
export function readCompanyNumber(
	context: IExecuteSingleFunctions,
	parameter = 'companyNumber',
): string {
	const value = context.getNodeParameter(parameter, '', { extractValue: true });
	const number = normaliseCompanyNumber(value);
	if (number !== undefined) return number;
	const { message, description } = invalidCompanyNumber(value);
	const itemIndex = context.getItemIndex();
	throw new NodeOperationError(context.getNode(), message, { description, itemIndex });
}
