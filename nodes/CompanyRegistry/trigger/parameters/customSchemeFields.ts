import type { INodeProperties } from 'n8n-workflow';

/** Describes a signature scheme, in the order of filling in: many schemes need only the first fields. */
export const signatureSchemeProperties: INodeProperties[] = [
	{
		displayName: 'Header',
		name: 'header',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Signature',
		description: 'The header that holds the signature, in hex or base64',
	},
	{
		displayName: 'Header Format',
		name: 'headerFormat',
		type: 'string',
		default: '',
		placeholder: 'e.g. sha256={signature}',
		description: 'The format of the header, if it holds more than the signature',
		hint: 'Use {signature}, {timestamp} and {id} for the parts, such as t={timestamp},s={signature}',
	},
	{
		displayName: 'Algorithm',
		name: 'algorithm',
		type: 'options',
		options: [
			{ name: 'HMAC-SHA256', value: 'sha256' },
			{ name: 'HMAC-SHA512', value: 'sha512' },
			{ name: 'HMAC-SHA1', value: 'sha1' },
		],
		default: 'sha256',
		description: 'How the service calculates the signature',
	},
	{
		displayName: 'Signed Content',
		name: 'content',
		type: 'string',
		default: '{body}',
		placeholder: 'e.g. {timestamp}.{body}',
		description: 'The text that the signature covers',
		hint: 'Use {body}, {timestamp}, {id} and {url} (the webhook address). {body} is required. Put a separator other than digits between {id} and {timestamp}.',
	},
	{
		displayName: 'Timestamp Header',
		name: 'timestampHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Timestamp',
		description:
			'The header with the time of sending, if the signature covers it: a Unix time or a date',
	},
	{
		displayName: 'ID Header',
		name: 'idHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Delivery-ID',
		description: 'The header with the delivery ID, if the signature covers it',
	},
	{
		displayName: 'Secret Encoding',
		name: 'secretEncoding',
		type: 'options',
		options: [
			{
				name: 'Base64',
				value: 'base64',
				description: 'Decode the secret first, without a leading whsec_',
			},
			{ name: 'Hex', value: 'hex', description: 'Decode the secret first' },
			{ name: 'Text', value: 'utf8', description: 'Use the secret as it is' },
		],
		default: 'utf8',
		description: 'How to decode the signing secret',
	},
];
