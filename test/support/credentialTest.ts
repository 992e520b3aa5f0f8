import {
	type ICredentialDataDecryptedObject,
	type ICredentialTestRequest,
	type ICredentialType,
	type INodeType,
} from 'n8n-workflow';

import { runNode } from './contexts';

/**
 * The message that n8n's credential test ends with, or `OK`. Sends the request through n8n's own
 * routing, as its tester does, and then reads the rules in the tester's order: statuses of
 * refused requests, fields of accepted ones.
 */
export async function testCredential(
	credentialType: ICredentialType,
	data: ICredentialDataDecryptedObject,
): Promise<string> {
	const { request, rules = [] } = credentialType.test as ICredentialTestRequest;
	try {
		const [{ json }] = await runNode({
			nodeType: nodeSending(credentialType.name, request),
			credentials: { [credentialType.name]: data },
		});
		const rule = rules.find(
			({ type, properties }) =>
				type === 'responseSuccessBody' &&
				json?.[(properties as { key: string }).key] === properties.value,
		);
		return rule?.properties.message ?? 'OK';
	} catch (error) {
		const { cause, message } = error as Error & {
			cause?: { code?: string; response?: { status: number; statusText: string } };
		};
		const status = cause?.response?.status;
		const rule = rules.find(
			({ type, properties }) => type === 'responseCode' && properties.value === status,
		);
		return rule?.properties.message ?? cause?.response?.statusText ?? cause?.code ?? message;
	}
}

function nodeSending(credential: string, request: ICredentialTestRequest['request']): INodeType {
	return {
		description: {
			displayName: 'No Operation',
			name: 'noOp',
			group: [],
			version: 1,
			description: '',
			defaults: {},
			inputs: ['main'],
			outputs: ['main'],
			credentials: [{ name: credential, required: true }],
			properties: [
				{ displayName: 'Temp', name: 'temp', type: 'string', default: '', routing: { request } },
			],
		},
	};
}
