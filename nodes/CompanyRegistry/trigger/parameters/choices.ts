import { mapValues } from 'lodash';
import type { INodePropertyOptions } from 'n8n-workflow';
import { z } from 'zod';

import { ALGORITHMS, type Encoding, type SecretEncoding } from '../signatures/digests';

/** The choices of one field by value, in the order shown. */
type Choice<Value extends string = string> = Record<Value, Omit<INodePropertyOptions, 'value'>>;

/** The choices for the field's description. */
export function optionsOf(choice: Choice): INodePropertyOptions[] {
	return Object.entries(choice).map(([value, words]) => ({ ...words, value }));
}

/** The choices for the schema that reads the field. */
export function oneOf<Value extends string>(choice: Choice<Value>) {
	return z.enum(Object.keys(choice) as [Value, ...Value[]]);
}

export const companiesFrom = {
	list: { name: 'Pick From Search', description: 'Pick each company by name or number' },
	numbers: {
		name: 'Paste Numbers or a Table',
		description: 'Paste company numbers, or rows of a spreadsheet with their headings',
	},
	link: {
		name: 'Follow a Link',
		description:
			'Read the list from an address when you publish, when n8n starts and at each check',
	},
};

export const addressChanged = {
	stop: {
		name: 'Stop Publishing',
		description: 'Change nothing, and show both addresses in the error',
	},
	move: {
		name: 'Move Webhooks Here',
		description: 'Redirect the existing webhooks to this n8n',
	},
	new: {
		name: 'Make New Webhooks',
		description: 'Leave the existing webhooks to the other n8n. Both then receive each event.',
	},
};

export const alreadyWatched = {
	stop: {
		name: 'Stop Publishing',
		description: 'Change nothing, and name the companies in the error',
	},
	watch: {
		name: 'Watch Anyway',
		description: 'Create second webhooks. Their events then arrive twice.',
	},
};

export const checkEvery = {
	tenMinutes: { name: 'Ten Minutes' },
	hour: { name: 'Hour' },
	day: { name: 'Day' },
};

export const unwatchable = {
	stop: {
		name: 'Stop Publishing',
		description:
			'Watch no company until you have corrected the list. A later publish keeps the companies that are already watched.',
	},
	skip: {
		name: 'Skip',
		description: "Watch the other companies. 'Watch Status' names the skipped ones.",
	},
};

export const algorithm = mapValues(ALGORITHMS, (_, name) => ({
	name: `HMAC-${name.toUpperCase()}`,
}));

export const encoding: Choice<Encoding> = { base64: { name: 'Base64' }, hex: { name: 'Hex' } };

export const secretEncoding: Choice<SecretEncoding> = {
	base64: {
		name: 'Base64',
		description: 'Decode the secret first, without a leading whsec_',
	},
	hex: { name: 'Hex', description: 'Decode the secret first' },
	utf8: { name: 'Text', description: 'Use the secret as it is' },
};
