import { readNamedRecord } from './readNamedRecord';

export const getPscs = readNamedRecord('pscs', {
	name: 'Get PSCs',
	value: 'getPscs',
	description: 'Read the persons with significant control (beneficial owners) of a company',
	action: 'Get PSCs of company',
});
