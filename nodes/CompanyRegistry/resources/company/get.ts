import { readNamedRecord } from './readNamedRecord';

export const get = readNamedRecord('company', {
	name: 'Get',
	value: 'get',
	description: 'Read the details of a company',
	action: 'Get company',
});
