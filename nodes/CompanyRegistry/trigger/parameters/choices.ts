import { mapValues } from 'lodash';
import type { INodePropertyOptions } from 'n8n-workflow';
import { z } from 'zod';

import { ALGORITHMS, type Encoding, type SecretEncoding } from '../signatures/digests';

/** What a user can choose in one field: by value, in the order shown. */
type Choice<Value extends string = string> = Record<Value, Omit<INodePropertyOptions, 'value'>>;

/** As the field's description has it. */
export function optionsOf(choice: Choice): INodePropertyOptions[] {
	return Object.entries(choice).map(([value, words]) => ({ ...words, value }));
}

/** As the schema has it that reads the field. */
export function oneOf<Value extends string>(choice: Choice<Value>) {
	return z.enum(Object.keys(choice) as [Value, ...Value[]]);
}

export const companiesFrom = {
	list: { name: 'List', description: 'Pick each company by name or number' },
	numbers: {
		name: 'Company Numbers',
		description:
			'Paste many company numbers at once, for example from a spreadsheet, with or without names',
	},
};

export const addressChanged = {
	ask: { name: 'Ask', description: 'Stop publishing and name both addresses' },
	move: {
		name: 'Moved to This Address',
		description: 'Have the same webhooks deliver to this n8n from now on',
	},
	copy: {
		name: 'Copy: Make New Webhooks',
		description: 'Leave those webhooks to the other n8n and create new ones',
	},
};

export const alreadyWatched = {
	ask: {
		name: 'Ask',
		description: 'Make no second webhooks for more than 20 such companies, and say so',
	},
	another: {
		name: 'Make Another',
		description: 'Watch them here too: their events then come twice',
	},
};

export const checkWebhooks = {
	day: { name: 'Every Day' },
	hour: { name: 'Every Hour' },
	tenMinutes: { name: 'Every Ten Minutes' },
};

export const refusedCompanies = {
	leaveOut: {
		name: 'Leave Out',
		description:
			'Watch the others. A failed execution names the companies left out, and each publish tries them again.',
	},
	fail: {
		name: 'Stop Publishing',
		description:
			'Watch no company until all are accepted. What is watched already stays watched when you publish a change.',
	},
};

export const repeatedDeliveries = {
	ignore: {
		name: 'Ignore',
		description: 'Start the workflow once when the service sends the same delivery again',
	},
	run: {
		name: 'Run Workflow',
		description: 'Start the workflow each time, for example to remove duplicates yourself',
	},
};

export const testEvent = {
	real: {
		name: 'Next Real Event',
		description:
			'Watch the companies for two minutes, with webhooks of their own, and show the first event that the service reports',
	},
	sample: {
		name: 'Sample Event',
		description:
			'Show an event of the first company within seconds. The service is not asked, and the output is marked as a sample.',
	},
};

export const unreadableRows = {
	leaveOut: {
		name: 'Leave Out',
		description: 'Watch the others. Each publish names the rows that were left out.',
	},
	fail: { name: 'Stop Publishing', description: 'Change nothing until all rows can be read' },
};

export const algorithm = mapValues(ALGORITHMS, (_, name) => ({
	name: `HMAC-${name.toUpperCase()}`,
}));

export const encoding: Choice<Encoding> = { base64: { name: 'Base64' }, hex: { name: 'Hex' } };

export const secretEncoding: Choice<SecretEncoding> = {
	base64: { name: 'Base64', description: 'The secret is decoded first, without a leading whsec_' },
	hex: { name: 'Hex', description: 'The secret is decoded first' },
	utf8: { name: 'Text', description: 'The secret is used as it is' },
};
