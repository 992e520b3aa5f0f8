import { randomBytes, randomUUID } from 'node:crypto';

import { Workflow, type IDataObject, type INodeTypes } from 'n8n-workflow';

import type { TriggerIdentity } from '../../nodes/CompanyRegistry/trigger/lifecycle/identity';
import type * as Memory from '../../nodes/CompanyRegistry/trigger/lifecycle/memory';
import type * as StoredLines from '../../nodes/CompanyRegistry/trigger/lifecycle/storedLines';
import type * as StoredState from '../../nodes/CompanyRegistry/trigger/lifecycle/storedState';
import type { Subscription } from '../../nodes/CompanyRegistry/trigger/records/subscription';
import { built } from './built';
import { companyNumbers } from './workflows';

const { TriggerMemory } = built<typeof Memory>('nodes/CompanyRegistry/trigger/lifecycle/memory');
const { findStored } = built<typeof StoredLines>(
	'nodes/CompanyRegistry/trigger/lifecycle/storedLines',
);
const { readState } = built<typeof StoredState>(
	'nodes/CompanyRegistry/trigger/lifecycle/storedState',
);

const identity: TriggerIdentity = { workflow: 'h7Tk2LmQw9ZxRb4v', node: randomUUID() };

const TARGET = {
	url: 'https://n8n.example.com/webhook/0b9a4f6e-2c1d-4d57-8f0a-7f3b1c9e5d42/webhook',
	events: ['filing.new'],
};

/** With ids and secrets as long as the simulator's. */
export function knownWebhooks(companies: number): Subscription[] {
	return companyNumbers(companies).map((company) => ({
		reference: randomBytes(16).toString('base64url'),
		company,
		id: `wh_${randomBytes(8).toString('hex')}`,
		secret: newSecret(),
		state: 'active',
		target: TARGET,
	}));
}

function newSecret(): string {
	return `whsec_${randomBytes(24).toString('base64')}`;
}

/** The static data of a workflow that watches them, as n8n keeps it in its database. */
export function storedText(webhooks: Subscription[]): string {
	const memory = new TriggerMemory(identity);
	memory.updateFacts({
		phase: 'published',
		account: 'https://registry.example.com#h7Tk2LmQ',
	});
	for (const one of webhooks) memory.byReference.set(one.reference, one);
	const global: IDataObject = {};
	memory.write(global);
	return JSON.stringify({ global });
}

/** As n8n hands it to a delivery: parsed, and watched for changes. */
export function loaded(text: string): IDataObject {
	const workflow = new Workflow({
		nodes: [],
		connections: {},
		active: true,
		staticData: JSON.parse(text) as IDataObject,
		nodeTypes: noNodeTypes,
	});
	return workflow.getStaticData('global');
}

/** What a delivery to that reference needs of it. */
export function find(staticData: IDataObject, reference: string): Subscription | undefined {
	const state = readState(staticData, identity);
	return state && findStored(state, reference);
}

/** For a workflow without nodes. */
const noNodeTypes: INodeTypes = {
	getByName: unused,
	getByNameAndVersion: unused,
	getKnownTypes: unused,
};

function unused(): never {
	throw new Error('A workflow without nodes needs no node types');
}
