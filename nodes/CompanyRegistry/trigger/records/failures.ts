import { get } from 'lodash';

import { messageOf, RegistryFailure } from '../../registry/failure';

/** The service answered, but not with what was asked for. The message names no webhook or company. */
export class UnusableAnswer extends Error {}

/** Why a pass stopped although the service answers; the cause is the last reason. */
export class Stopped extends Error {}

/** Whether the same may succeed later: the service or the link is down, busy, or did not answer. */
export function isTemporary(reason: unknown): boolean {
	return get(reason, 'isTemporary') === true;
}

/** A key that failures for the same reason share: the words of the service may hold the id of a request. */
export function reasonKey(reason: unknown): string {
	if (reason instanceof Stopped) return reasonKey(reason.cause ?? reason.message);
	if (!(reason instanceof RegistryFailure)) return messageOf(reason);
	return `${reason.status ?? reason.reason} ${reason.code ?? ''}`;
}
