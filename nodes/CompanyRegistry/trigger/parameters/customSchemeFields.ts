import type { INodeProperties } from 'n8n-workflow';

import { algorithm, encoding, optionsOf, secretEncoding } from './choices';

/**
 * How a user describes a signature scheme that is not recognised; read by readOptions. The fields
 * are in the order in which one fills them in, because many schemes need only the first few.
 */
export const signatureSchemeProperties: INodeProperties[] = [
	{
		displayName: 'Header',
		name: 'header',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Signature',
		description: 'The header that carries the signature',
	},
	{
		displayName: 'Prefix',
		name: 'prefix',
		type: 'string',
		default: '',
		placeholder: 'e.g. sha256=',
		description: 'Text that stands before the signature in its header',
	},
	{
		displayName: 'Encoding',
		name: 'encoding',
		type: 'options',
		options: optionsOf(encoding),
		default: 'hex',
		description: 'How the signature is written in its header',
	},
	{
		displayName: 'Algorithm',
		name: 'algorithm',
		type: 'options',
		options: optionsOf(algorithm),
		default: 'sha256',
		description: 'How the signature is calculated',
	},
	{
		displayName: 'Signed Content',
		name: 'content',
		type: 'string',
		default: '{body}',
		placeholder: 'e.g. {timestamp}.{body}',
		description: 'What the signature covers',
		hint: '{body}, {timestamp}, {id} and {url} (the address delivered to) stand for the parts of the delivery. {body} must be among them, and something other than digits between {id} and {timestamp}.',
	},
	{
		displayName: 'Timestamp Header',
		name: 'timestampHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Timestamp',
		description:
			'The header that carries the time of sending, if the signature covers it: seconds, smaller units, or a date',
	},
	{
		displayName: 'ID Header',
		name: 'idHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Delivery-ID',
		description: 'The header that carries the delivery ID, if the signature covers it',
	},
	{
		displayName: 'Header Format',
		name: 'headerFormat',
		type: 'string',
		default: '',
		placeholder: 'e.g. t={timestamp},s={signature}',
		description:
			"What the header looks like, if it holds more than the signature. With this, 'Prefix' is not used.",
		hint: '{signature}, {timestamp} and {id} stand for its parts',
	},
	{
		displayName: 'Secret Encoding',
		name: 'secretEncoding',
		type: 'options',
		options: optionsOf(secretEncoding),
		default: 'utf8',
		description: 'How the signing secret becomes a key',
	},
];
