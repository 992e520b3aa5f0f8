import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { normaliseBaseUrl } from '../../registry/baseUrl';
import type { CredentialTypeName } from '../../registry/failures';
import { secretsOf } from '../../registry/quotation';

interface RunCredential {
	/** Undefined when the credential's is not a web address. */
	baseUrl: string | undefined;
	/** The credential's own values, which no error may repeat. */
	secrets: string[];
}

const credentialsOfRuns = new WeakMap<object, Promise<RunCredential>>();

/**
 * What the operations need of the node's credential, read once for all items of a run. An expression in
 * the node's description would be evaluated twice for every item, which costs n8n much of an item's time.
 */
export async function readRunCredential(
	context: IExecuteSingleFunctions,
	credentialType: CredentialTypeName,
): Promise<RunCredential> {
	const run = context.getExecuteData();
	let credential = credentialsOfRuns.get(run);
	if (credential === undefined) {
		credential = context.getCredentials(credentialType).then((data) => ({
			baseUrl: normaliseBaseUrl(data.baseUrl),
			secrets: secretsOf(data),
		}));
		credentialsOfRuns.set(run, credential);
	}
	return await credential;
}
