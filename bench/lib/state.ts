import { randomBytes, randomUUID } from 'node:crypto';

import type { INodeTypes } from 'n8n-workflow';

import type {
	TriggerIdentity,
	StoredSubscription,
} from '../../nodes/CompanyRegistry/trigger/memory/state';
import { companyNumbers } from './workflows';

export const identity: TriggerIdentity = {
	workflow: 'h7Tk2LmQw9ZxRb4v',
	node: randomUUID(),
	kind: 'production',
};

/** With ids and secrets as long as the stand-in's. */
export function knownWebhooks(companies: number): StoredSubscription[] {
	return companyNumbers(companies).map((company) => ({
		reference: randomBytes(16).toString('base64url'),
		company,
		id: `wh_${randomBytes(8).toString('hex')}`,
		secret: newSecret(),
		status: 'watched',
	}));
}

function newSecret(): string {
	return `whsec_${randomBytes(24).toString('base64')}`;
}

/** For a workflow without nodes. */
export const noNodeTypes: INodeTypes = {
	getByName: unused,
	getByNameAndVersion: unused,
	getKnownTypes: unused,
};

function unused(): never {
	throw new Error('A workflow without nodes needs no node types');
}
