import { readNamedRecord } from './readNamedRecord';

export const getOfficers = readNamedRecord('officers', {
	name: 'Get Officers',
	value: 'getOfficers',
	description: 'Read the directors, secretaries and other officers of a company',
	action: 'Get officers of company',
});
