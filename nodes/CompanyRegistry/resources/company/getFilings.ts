import { readNamedRecord } from './readNamedRecord';

export const getFilings = readNamedRecord('filings', {
	name: 'Get Filings',
	value: 'getFilings',
	description: 'Read the documents that a company has filed',
	action: 'Get filings of company',
});
