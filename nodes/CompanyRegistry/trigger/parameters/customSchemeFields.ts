import type { INodeProperties } from 'n8n-workflow';

/** How a user describes a signature scheme that is not recognised; read by readCustomScheme. */
export const signatureSchemeProperties: INodeProperties[] = [
	{
		displayName: 'Algorithm',
		name: 'algorithm',
		type: 'options',
		options: [
			{ name: 'HMAC-SHA256', value: 'sha256' },
			{ name: 'HMAC-SHA512', value: 'sha512' },
		],
		default: 'sha256',
		description: 'How the signature is calculated',
	},
	{
		displayName: 'Encoding',
		name: 'encoding',
		type: 'options',
		options: [
			{ name: 'Base64', value: 'base64' },
			{ name: 'Hex', value: 'hex' },
		],
		default: 'hex',
		description: 'How the signature is written in its header',
	},
	{
		displayName: 'Header',
		name: 'header',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Signature',
		description: 'The header that carries the signature',
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
		displayName: 'Prefix',
		name: 'prefix',
		type: 'string',
		default: '',
		placeholder: 'e.g. sha256=',
		description: 'Text that stands before the signature in its header',
	},
	{
		displayName: 'Secret Encoding',
		name: 'secretEncoding',
		type: 'options',
		options: [
			{
				name: 'Base64',
				value: 'base64',
				description: 'The secret is decoded first, without a leading whsec_',
			},
			{ name: 'Text', value: 'utf8', description: 'The secret is used as it is' },
		],
		default: 'utf8',
		description: 'How the signing secret becomes a key',
	},
	{
		displayName: 'Signed Content',
		name: 'content',
		type: 'string',
		default: '{body}',
		placeholder: 'e.g. {timestamp}.{body}',
		description:
			'What the signature covers. {body}, {timestamp} and {ID} stand for the parts of the delivery; {body} must be among them.',
	},
	{
		displayName: 'Timestamp Header',
		name: 'timestampHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Timestamp',
		description: 'The header that carries the time of sending, if the signature covers it',
	},
];
