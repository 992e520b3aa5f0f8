import { compact, uniqBy } from 'lodash';

import { messageOf, RegistryFailure } from '../../registry/failure';
import { CONCURRENT_REQUESTS, type Registry } from '../../registry/registry';
import { listWebhooks, updateWebhook } from '../../registry/webhooks';
import { concurrently, waitUnlessAborted } from '../../shared/async';
import { warn } from '../../shared/words';
import { addressOf } from '../identity/destination';
import { next } from '../memory/phase';
import { mayBeActive, namesOf, type Subscription } from '../memory/subscription';
import type { Group } from '../memory/trigger';
import { Messenger } from '../messages/sendMessage';
import { isListedIn } from './account';
import { persevere } from './persevere';
import type { Left, Wish } from './publication';
import { isGone, mayPass, UnusableAnswer } from './refusals';
import { want } from './runner';
import { WAITS } from './waits';

type Pausing = Pick<Wish, 'context' | 'identity' | 'memory'> & Pick<Service, 'registry'>;

/**
 * Has all that delivers to this n8n paused later on, unless something else is wanted by then. Ids and secrets
 * are kept for the next publish. What cannot be paused is logged, and used or paused by the next publish.
 */
export function pauseLater({ context, identity, memory, registry }: Pausing): void {
	const url = context.getNodeWebhookUrl('default') ?? '';
	const address = addressOf(url);
	want(memory, 'pause', async (signal) => {
		if (identity.kind === 'production') {
			await waitUnlessAborted(WAITS.beforePausing, signal);
			// An updated package or another main process may have published the trigger, which only it can say.
			const { writtenAt } = memory;
			const stored = await new Messenger(context, identity, memory, url, signal).ask();
			if (signal.aborted || (stored.taken && (stored.writtenAt ?? 0) > writtenAt)) return;
		}
		for (const group of memory.groups) {
			const active = [...group.subscriptions.values()].filter(mayBeActive);
			const left = await pauseAll(group, active, { registry, address, signal, isPatient: true });
			// A former group of another address serves another n8n.
			const isOthers = group !== memory.current && group.address !== address;
			if (!signal.aborted && left && !isOthers) warn(context, describeLeft(left));
		}
		if (signal.aborted) return;
		memory.phase = next(memory.phase, 'paused', 0);
		memory.isProvisional = false;
	});
}

interface Service {
	/** As the node's credential shows it; none if that cannot be used. */
	registry: Registry | undefined;
	/** Of this n8n. */
	address: string;
	signal: AbortSignal;
	/** Whether what the service refuses is tried again, too: nobody is there to be told. */
	isPatient?: boolean;
}

/**
 * Pauses these subscriptions of a group, for as long as the service lets it. The client that worked last comes
 * first: a key that has been replaced in the credential is often that of another account.
 * @returns what is left, and why; undefined if nothing is
 */
export async function pauseAll(
	group: Group,
	subscriptions: Subscription[],
	{ registry, address, signal, isPatient }: Service,
): Promise<Left | undefined> {
	const left = new Set(subscriptions);
	let why = "The node's credential cannot be used";
	let clients = uniqBy(compact([group.registry, registry]), 'account');
	if (group.address !== address) {
		why = `They deliver to ${group.address}, and this n8n's address is ${address}. If n8n has moved, publish here: that asks about the address. Unpublish once it is published`;
		clients = [];
	}
	for (const client of clients) {
		if (left.size === 0 || signal.aborted) break;
		let throughAt = 0;
		const failure = await persevere(
			async () => {
				const isProven = client === group.registry || client.account === group.account;
				if (!isProven && !isListedIn(group, (await listWebhooks(client, signal)).webhooks)) {
					throw new Error(
						`They belong to another account than the node's credential at ${client.baseUrl}`,
					);
				}
				await pauseEach(client, group, left, signal, () => (throughAt = Date.now()));
			},
			() => throughAt,
			signal,
			(reason) =>
				mayPass(reason) || (isPatient === true && client === clients.at(-1) && isRefusal(reason)),
		);
		if (failure !== undefined) why = messageOf(failure);
	}
	return left.size === 0 ? undefined : { group, subscriptions: [...left], why };
}

/**
 * Takes what it pauses out of what is left. One that cannot be paused does not stop the others, and comes
 * after them at the next try.
 * @throws why none can be paused now, or why one of them could not
 */
async function pauseEach(
	client: Registry,
	{ subscriptions }: Group,
	left: Set<Subscription>,
	signal: AbortSignal,
	noteThrough: () => void,
): Promise<void> {
	let refused: unknown;
	let inARow = 0;
	await concurrently([...left], CONCURRENT_REQUESTS, async (one) => {
		signal.throwIfAborted();
		const before = subscriptions.get(one.reference) ?? one;
		// Until the answer comes it may be paused or not: a publish that comes meanwhile does not count on it.
		subscriptions.set(one.reference, { ...one, confirmed: undefined });
		const failure = await updateWebhook(client, one.id, { is_active: false }, signal).then(
			(answer) =>
				answer.is_active &&
				new UnusableAnswer('The registry service shows them as active', 'active'),
			(reason: unknown) => reason,
		);
		left.delete(one);
		if (!failure || (isGone(failure) && failure.isServiceError)) {
			inARow = 0;
			noteThrough();
			subscriptions.set(one.reference, { ...one, confirmed: 'paused' });
			return;
		}
		left.add(one);
		const isUnclear = failure instanceof RegistryFailure && failure.kind === 'unclear';
		if (!isUnclear) subscriptions.set(one.reference, before);
		if (mayPass(failure) || ++inARow === CONCURRENT_REQUESTS) throw failure;
		refused = failure;
	});
	if (refused !== undefined) throw refused;
}

/** Whether the service has refused to pause something. A key that it does not accept is no better later on. */
function isRefusal(reason: unknown): boolean {
	const isRefused = reason instanceof RegistryFailure && reason.status !== 401;
	return isRefused || reason instanceof UnusableAnswer;
}

/** What stays active, for the log, which names all, or for a message. */
export function describeLeft({ group, subscriptions, why }: Left, maximum = Infinity): string {
	const isCertain = subscriptions.every((one) => group.subscriptions.get(one.reference)?.confirmed);
	const more = subscriptions.length - maximum;
	const names = namesOf(subscriptions.slice(0, maximum)) + (more > 0 ? ` and ${more} more` : '');
	return `webhooks that are not wanted could not be paused and ${isCertain ? 'stay' : 'may stay'} active: ${names}. ${why}. The next publish or unpublish of the workflow tries again.`;
}
