import { compact, uniqBy } from 'lodash';
import type { IHookFunctions } from 'n8n-workflow';

import { messageOf } from '../../registry/failure';
import { openRegistry, type Registry } from '../../registry/registry';
import { waitUnlessAborted } from '../../shared/async';
import { warn } from '../../shared/words';
import { addressOf } from '../identity/destination';
import { identify, identifyTest, type TriggerIdentity } from '../identity/identity';
import { keeperOf, type Keeper } from './keeper';
import { describeUnpaused } from './report';
import { mayBeActive, readState } from '../memory/state';
import { findStore, writeAll } from '../memory/store';
import { Round } from './round';
import { Standings } from './standings';
import { TIMES } from './times';
import { wishOf } from './wish';

/**
 * From now on nothing is wanted: what delivers here is paused in the background, unless the trigger is published
 * again soon; a test's at once. Never throws: unpublishing must succeed while the service is down.
 */
export async function unpublish(context: IHookFunctions): Promise<void> {
	const identity = identifyDeactivated(context);
	if (identity === undefined) return;
	const staticData = context.getWorkflowStaticData('global');
	const keeper = keeperOf(identity);
	const { store, work } = keeper;
	store.load(readState(staticData, identity));
	keeper.hasBegun = true;
	keeper.wish = undefined;
	if (store.status === 'published') store.status = 'unpublished';
	// While pausing is planned, another unpublish changes nothing: n8n undoes each failed publish with one.
	if (work?.occasion !== 'pause' && (store.all.length > 0 || work)) {
		work?.abort();
		// The credential has to be read before this returns; requests may be sent later.
		const registry = await openRegistry(context).catch((reason: unknown) => {
			warn(context, `its credential cannot be used: ${messageOf(reason)}`);
			return undefined;
		});
		// What is being made is stored with the rest, if its answer comes soon.
		if (work) await Promise.race([work.done, waitUnlessAborted(TIMES.takeOver)]);
		store.close();
		const isSuperseded = keeper.work !== undefined && keeper.work !== work;
		if (!isSuperseded) pauseLater(context, identity, keeper, registry);
	}
	writeAll(staticData, identity);
}

/** Ids and secrets are kept for the next publish. What cannot be paused is logged, and paused by that. */
function pauseLater(
	context: IHookFunctions,
	{ kind }: TriggerIdentity,
	keeper: Keeper,
	opened: Registry | undefined,
): void {
	const { store } = keeper;
	const url = context.getNodeWebhookUrl('default') ?? '';
	keeper.begin('pause', async (signal) => {
		if (kind === 'production') await waitUnlessAborted(TIMES.beforePausing, signal);
		const active = () => store.all.filter(mayBeActive);
		const wish = { ...wishOf(store), companies: [], url };
		let standings = new Standings(wish, store);
		standings.failure = new Error("The node's credential cannot be used");
		// A key that has been replaced in the credential is often that of another account.
		for (const registry of uniqBy(compact([store.current?.registry, opened]), 'account')) {
			if (signal.aborted || active().length === 0) return;
			const round = new Round('pause', keeper, wish, registry, signal);
			({ standings } = round);
			await round.persevere();
		}
		if (signal.aborted || active().length === 0) return;
		if (standings.failure !== undefined) {
			standings.unpaused ??= { subscriptions: active(), why: messageOf(standings.failure) };
		}
		if (standings.unpaused) warn(context, describeUnpaused(store, standings.unpaused));
	});
}

/** What n8n is taking down. Undefined for a test that another main process has begun. */
function identifyDeactivated(context: IHookFunctions): TriggerIdentity | undefined {
	const test = identifyTest(context);
	if (test !== undefined) return test;
	const production = identify(context, 'production');
	// A test's static data is its own, and empty at first.
	if (readState(context.getWorkflowStaticData('global'), production)) return production;
	const known = findStore(production)?.url ?? '';
	const url = context.getNodeWebhookUrl('default') ?? '';
	return known !== '' && endpointOf(known) === endpointOf(url) ? production : undefined;
}

/** Under which n8n serves published workflows, or tests. Their hosts may differ, too. */
function endpointOf(url: string): string {
	return addressOf(url).split('/').pop() ?? '';
}
