import { groupBy, sortBy } from 'lodash';

import { RegistryFailure } from '../../registry/failure';
import { pluralise } from '../../shared/format';
import { UnusableAnswer } from '../records/failures';
import type { Status } from './status';
import { explain, named, quote, sentences, type Part } from './words';

/** Reasons of refusals that a text quotes. */
const MAXIMUM_QUOTED = 3;
const ASK_SUPPORT = "Find their webhooks with Webhook → Get Many, and ask the service's support";

/** What a refusal may be about, where the service does not say. */
interface Refused {
	/** Whether the company has a webhook already, so that the service knows its number. */
	isKnownNumber: boolean;
	/** Whether other companies were accepted with the same events and address. */
	areOthersAccepted: boolean;
}

/** Why companies are not watched, with the next step. The most frequent reason comes first. */
export function whyUnwatched(status: Status): Part[] {
	const { unwatched, refused, stopped, watched, existing, reading } = status;
	const withReason = unwatched.filter((company) => refused.has(company));
	const others = unwatched.filter((company) => !refused.has(company));
	const groups = sortBy(
		groupBy(withReason, (company) => quote(refused.get(company))),
		({ length }) => -length,
	);

	const withWebhook = new Set(existing);
	const parts = groups.slice(0, MAXIMUM_QUOTED).map((companies): Part => {
		const isKnownNumber = companies.every((company) => withWebhook.has(company));
		const about = { isKnownNumber, areOthersAccepted: watched.length > 0 };
		const what = `The registry service refused ${pluralise(companies.length, 'company')}`;
		const reason = refused.get(companies[0]);
		const words = sentences([what, quote(reason), nextStep(reason, about)]);
		return { words, list: named(companies, reading.names) };
	});
	const more = groups.slice(MAXIMUM_QUOTED).flat();
	if (more.length > 0) {
		parts.push({ words: 'Refused for other reasons', list: named(more, reading.names) });
	}
	if (others.length === 0) return parts;

	const lost = 'The registry service gave no usable answer for these companies';
	const why = stopped === undefined ? lost : explain(stopped);
	return [...parts, { words: why, list: named(others, reading.names) }];
}

/** What to correct. Where that is not known, all that may be wrong is named. */
export function nextStep(reason: unknown, about: Refused): string {
	if (reason instanceof UnusableAnswer) return ASK_SUPPORT;
	const status = reason instanceof RegistryFailure ? reason.status : undefined;
	if (status === 402 || status === 403) {
		return "Check the plan and the permissions of your account in the service's dashboard";
	}
	if (status === 409) {
		return 'A webhook for it may exist already: look it up with Webhook → Get Many, and pause it if no other workflow uses it';
	}
	if (about.isKnownNumber) return "Check the events under 'Trigger On' and n8n's address";
	if (about.areOthersAccepted) return 'Correct the number, or remove it from your list';
	return "Check the number, the events under 'Trigger On' and n8n's address";
}
