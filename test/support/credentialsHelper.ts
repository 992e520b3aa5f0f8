import {
	ICredentialsHelper,
	type ICredentialDataDecryptedObject,
	type ICredentialsExpressionResolveValues,
	type ICredentialType,
	type IExecuteData,
	type IHttpRequestOptions,
	type INodeCredentialsDetails,
	type INodeParameters,
	type INodeProperties,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { CompanyRegistryApi } from '../../credentials/CompanyRegistryApi.credentials';
import { CompanyRegistrySessionApi } from '../../credentials/CompanyRegistrySessionApi.credentials';

const credentialTypes: ICredentialType[] = [
	new CompanyRegistryApi(),
	new CompanyRegistrySessionApi(),
];

/** Hands out the given decrypted data and runs the credential types' real `authenticate`. */
export class TestCredentialsHelper extends ICredentialsHelper {
	/** How often a node has read a credential: each read starts a V8 isolate in n8n. */
	reads = 0;

	constructor(private readonly data: Record<string, ICredentialDataDecryptedObject>) {
		super();
	}

	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		_details: INodeCredentialsDetails,
		type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		_raw?: boolean,
		resolve?: ICredentialsExpressionResolveValues,
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
		const authenticate = credentialTypes.find(({ name }) => name === typeName)?.authenticate;
		if (typeof authenticate === 'function') return await authenticate(credentials, options);
		throw new Error(`${typeName} has no authentication of its own`);
	}

	async preAuthentication(): Promise<undefined> {}

	async runPreAuthentication(): Promise<undefined> {}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async getCredentials(): Promise<never> {
		throw new Error('Tests have no stored credentials');
	}

	async updateCredentials(): Promise<void> {}

	async updateCredentialsOauthTokenData(): Promise<void> {}

	getCredentialsProperties(): INodeProperties[] {
		return [];
	}
}
