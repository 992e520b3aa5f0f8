import type {
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	IHttpRequestOptions,
	INodeParameters,
} from 'n8n-workflow';

import { CompanyRegistryApi } from '../../credentials/CompanyRegistryApi.credentials';
import { CompanyRegistryListApi } from '../../credentials/CompanyRegistryListApi.credentials';
import { CompanyRegistrySessionApi } from '../../credentials/CompanyRegistrySessionApi.credentials';

export const credentialTypes = [
	new CompanyRegistryApi(),
	new CompanyRegistryListApi(),
	new CompanyRegistrySessionApi(),
];

/**
 * What n8n asks its helper for on behalf of our nodes. Hands out the given decrypted data and runs the
 * credential types' real `authenticate`.
 */
export class TestCredentialsHelper {
	/** How often a node has read a credential: each read starts a V8 isolate in n8n. */
	reads = 0;

	constructor(private readonly data: Record<string, ICredentialDataDecryptedObject>) {}

	async getDecrypted(
		...[, , type, mode, executeData, , resolve]: Parameters<ICredentialsHelper['getDecrypted']>
	): Promise<ICredentialDataDecryptedObject> {
		this.reads++;
		const stored = this.data[type];
		if (stored === undefined) {
			throw new Error(`No credential of type ${type} was given to this test`);
		}
		const data = structuredClone(stored);
		if (resolve === undefined) return data;
		// For an item, n8n evaluates the credential's expressions over that item.
		return resolve.workflow.expression.getParameterValue(
			data as INodeParameters,
			resolve.runExecutionData,
			resolve.runIndex,
			resolve.itemIndex,
			resolve.node.name,
			resolve.connectionInputData,
			mode,
			{},
			executeData,
		) as ICredentialDataDecryptedObject;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = credentialTypes.find(({ name }) => name === typeName) ?? {};
		if (authenticate) return await authenticate(credentials, options);
		throw new Error(`${typeName} has no authentication of its own`);
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async preAuthentication(): Promise<undefined> {}

	getParentTypes(): string[] {
		return [];
	}
}
