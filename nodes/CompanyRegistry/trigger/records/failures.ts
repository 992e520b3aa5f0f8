import { get } from 'lodash';

import { messageOf, RegistryFailure } from '../../registry/failure';

/** The service answered, but not with what was asked for. The message names no webhook or company. */
export class UnusableAnswer extends Error {}

/** Why a pass stopped although the service answers; the cause is the last reason. */
export class Stopped extends Error {}

/** n8n has another address, and a person has to say why. Nothing was sent. */
export class AddressChanged extends Error {}

/** Whether the same may succeed later: the service or the link is down, busy, or did not answer. */
export function isTemporary(reason: unknown): boolean {
	return get(reason, 'isTemporary') === true;
}

/** Whether the service refused a request with an answer about its content, and not about the key. */
export function isRefusal(reason: unknown): boolean {
	if (reason instanceof Stopped || reason instanceof UnusableAnswer) return true;
	return reason instanceof RegistryFailure && reason.kind === 'refused' && reason.status !== 401;
}

/** The same for equal failures, because the words of the service may hold the id of a request. */
export function reasonKey(reason: unknown): string {
	if (!(reason instanceof RegistryFailure)) return messageOf(reason);
	return `${reason.status ?? reason.reason} ${reason.serviceError?.error ?? ''}`;
}
