import type { Registry } from '../../registry/registry';
import { Standings } from './standings';
import type { Store } from '../memory/store';
import type { Wish } from './wish';

/**
 * What begins a round. `publish`: a person; `check`: a start of n8n, or its clock; `pause`: nothing is wanted any
 * more; `test`: *Execute step* waits for the next real event.
 */
export type Occasion = 'publish' | 'check' | 'pause' | 'test';

/** Who looks after the trigger while a round goes on. */
interface Observer {
	/** New webhooks are about to be made; `isMany`: more than are made twice without asking. */
	beforeCreating: (isMany: boolean, standings: Standings) => void;
	/** The service has let a change through. */
	through: () => void;
	/** Whether somebody keeps changing a company's webhook: it is left alone then. */
	isDisputed: (company: string) => boolean;
}

/** One round of bringing the account to what is wanted, in as many tries as it takes. */
export class Round {
	readonly standings: Standings;
	/** When the service let something through last, in milliseconds of `performance.now()`. */
	throughAt = -Infinity;
	/** How many webhooks were replaced because the service does not know them. */
	replaced = 0;

	constructor(
		readonly occasion: Occasion,
		readonly store: Store,
		readonly wish: Wish,
		readonly registry: Registry,
		/** Aborted once something else is wanted, or nothing can be answered any more. */
		readonly signal: AbortSignal,
		readonly observer: Observer,
	) {
		this.standings = new Standings(wish, store);
	}

	noteThrough(): void {
		this.throughAt = performance.now();
		this.store.unwritten++;
		this.observer.through();
	}
}
