import { RegistryFailure } from '../../registry/failure';
import type { Webhook } from '../../registry/webhooks';
import { comparableNumber } from '../../shared/companyNumber';

/** Refusals of a webhook that does not exist. */
const UNKNOWN = new Set([404, 410]);
/** Refusals that concern the one company or webhook of the request; others concern the account. */
const OF_ONE_COMPANY = new Set([400, 404, 409, 410, 422]);

/**
 * Whether the service lists this webhook. What form ids have is not known: one that merely coincides
 * belongs to another company.
 */
export function isListed(
	{ id, company }: { id: string; company: string },
	listed: ReadonlyMap<string, Webhook>,
): boolean {
	const webhook = listed.get(id);
	return webhook !== undefined && comparableNumber(webhook.company_number) === company;
}

/** Whether the service refused a request because of its one company or webhook. */
export function concernsOneCompany(failure: unknown): failure is RegistryFailure {
	return failure instanceof RegistryFailure && OF_ONE_COMPANY.has(failure.status ?? 0);
}

/** Whether an update was refused because the webhook does not exist. */
export function isUnknown(failure: unknown): boolean {
	return failure instanceof RegistryFailure && UNKNOWN.has(failure.status ?? 0);
}

/**
 * Whether the service itself says that there is no such webhook. A proxy on the way may answer 404 as
 * well, and knows nothing of webhooks.
 */
export function isGone(failure: unknown): boolean {
	return failure instanceof RegistryFailure && failure.isServiceError && isUnknown(failure);
}

/** Whether the service gave no answer at all. */
export function isUnanswered(failure: unknown): boolean {
	return failure instanceof RegistryFailure && failure.status === undefined;
}

/** Whether the service may have made the change although it did not confirm it. */
export function isUnclear(failure: unknown): boolean {
	return failure instanceof RegistryFailure && failure.kind === 'unclear';
}
