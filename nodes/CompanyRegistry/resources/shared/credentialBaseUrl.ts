import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { normaliseBaseUrl } from '../../shared/registry/baseUrl';
import type { CredentialTypeName } from '../../shared/registry/failures';

const baseUrlsOfRuns = new WeakMap<object, Promise<string | undefined>>();

/**
 * The base URL in the node's credential; undefined when it is none.
 * As an expression in the node's description it would be resolved twice for every item, a large part
 * of what an item costs n8n. Here the credential is read once for all items of a run.
 */
export async function readCredentialBaseUrl(
	context: IExecuteSingleFunctions,
	credentialType: CredentialTypeName,
): Promise<string | undefined> {
	const run = context.getExecuteData();
	let baseUrl = baseUrlsOfRuns.get(run);
	if (baseUrl === undefined) {
		baseUrl = context.getCredentials(credentialType).then((data) => normaliseBaseUrl(data.baseUrl));
		baseUrlsOfRuns.set(run, baseUrl);
	}
	return await baseUrl;
}
