import { pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { Facts } from '../records/facts';
import type { Target } from '../records/subscription';
import type { TriggerIdentity } from './identity';

/** A trigger as it is stored in the static data of its workflow. */
export interface TriggerState {
	version: 1;
	workflow: string;
	/** Rises with each write: milliseconds since the epoch, or more. */
	revision: number;
	facts: Facts;
	/** Where the webhooks deliver to. Each line names one of them by its place here. */
	targets: Target[];
	/** One line for each webhook, in blocks: n8n parses static data at each delivery, and such text is cheap. */
	blocks: string[];
}

const KEY = 'companyRegistryTrigger';

/** The stored state of one trigger. A copied workflow carries the state of the original, which is not its own. */
export function readState(data: IDataObject, identity: TriggerIdentity): TriggerState | undefined {
	const state = statesIn(data)[identity.node];
	return state?.version === 1 && state.workflow === identity.workflow ? state : undefined;
}

/** Writes the state of a node into a copy of the static data. States of other workflows go. */
export function writeState(data: IDataObject, node: string, state: TriggerState): void {
	const { workflow } = state;
	const kept = pickBy(statesIn(data), { workflow });
	// n8n notices only changes at the top level.
	data[KEY] = { ...kept, [node]: state } as unknown as IDataObject;
}

function statesIn(data: IDataObject): Record<string, TriggerState | undefined> {
	return (data[KEY] ?? {}) as Record<string, TriggerState | undefined>;
}
