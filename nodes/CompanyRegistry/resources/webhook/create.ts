import { isEqual } from 'lodash';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { messageOf, RegistryFailure } from '../../registry/failure';
import { CONCURRENT_REQUESTS } from '../../registry/registry';
import {
	createWebhook,
	updateWebhook,
	type NewWebhook,
	type WebhookAnswer,
} from '../../registry/webhooks';
import { concurrently } from '../../shared/async';
import { comparableNumber } from '../../shared/companyNumber';
import { dropOldest } from '../../shared/dropOldest';
import { readCompanyNumber, readOption } from '../readParameters';
import type { Item, Operation } from '../run';
import type { SharedAccount } from '../sharedAccount';
import { additionalEventsField, eventsField, readEvents, readHttpsUrl, urlField } from './fields';

const alreadyWatchedField: INodeProperties = {
	displayName: 'Already Watched',
	name: 'alreadyWatched',
	type: 'options',
	options: [
		{ name: 'Ask', value: 'ask', description: 'Make none, and name the webhook that is there' },
		{ name: 'Make Another', value: 'another', description: 'Its events then come twice' },
	],
	default: 'ask',
	description:
		'What to do where the company has an active webhook that may deliver to the same URL',
};

/** How long a run that has failed goes on sending pauses, in milliseconds. */
const LONGEST_PAUSING = 60_000;

/** How long webhooks whose secret was lost are kept, in milliseconds, and how many. */
const KEPT_FOR = 900_000;
const KEPT = 10_000;

type Lost = { account: string; wanted: NewWebhook; webhook: WebhookAnswer; until: number };
/**
 * Webhooks of this process whose secret no output holds, because n8n dropped that of the run. The next one,
 * by n8n's 'Retry On Fail' or by hand, creates the same again, and the service deletes nothing.
 */
const lost = new Map<string, Lost>();

export const create = {
	option: {
		name: 'Create',
		value: 'create',
		description: "Send a company's events to a URL",
		action: 'Create webhook',
	},
	takesCompany: true,
	fields: [
		{
			displayName:
				"The service shows the signing secret only once: store it in the next step. If one of several items fails, the webhooks created before it are paused, unless 'On Error' is set to 'Continue'. Leave 'Retry On Fail' off: where an answer of the service is lost, the next try creates a second webhook. To start a workflow, use the trigger instead.",
			name: 'secretNotice',
			type: 'notice',
			default: '',
		},
		{ ...urlField, required: true },
		eventsField,
		additionalEventsField,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [alreadyWatchedField],
		},
	],
	prepare: (item) => {
		const company_number = readCompanyNumber(item);
		const url = readHttpsUrl(item, item.parameter('url', ''));
		const events = readEvents(item, {
			events: item.parameter('events', []),
			additionalEvents: item.parameter('additionalEvents', ''),
		});
		if (events.length === 0) {
			throw item.refuse({
				message: "'Events' is empty",
				description: "Choose at least one event, or enter its name under 'Additional Events'.",
			});
		}
		const { alreadyWatched = 'ask' } = { ...(item.parameter('options', {}) as IDataObject) };
		const makesAnother = readOption(item, alreadyWatchedField, alreadyWatched) === 'another';
		const wanted = { url, company_number, events };
		if (!makesAnother) refuseRepeated(item, wanted);
		return async () => {
			const { registry, signal, created } = item.account;
			const resumed = await resumeLost(item.account, wanted);
			if (resumed === undefined && !makesAnother) await refuseWatched(item, wanted);
			const webhook = resumed ?? (await createWebhook(registry, wanted, signal));
			if (webhook.secret === undefined) {
				throw item.refuse({
					message: `The service sent no signing secret with the webhook ${webhook.id}`,
					description:
						"Nothing that it delivers can be verified. It may be an older one that is used elsewhere, so it stays as it is. Check it with 'Get', and pause it if nothing uses it.",
				});
			}
			created.push({ wanted, webhook });
			return [webhook];
		};
	},
	undo: pauseCreated,
	beforeRepeat: keepLost,
} satisfies Operation;

/** @throws NodeOperationError where an earlier item of the run creates one for the same company and URL, as in a table with a row twice */
function refuseRepeated(item: Item, { company_number, url }: NewWebhook): void {
	const { wanted } = item.account;
	const one = `${company_number} ${url}`;
	if (!wanted.has(one)) {
		wanted.add(one);
		return;
	}
	throw item.refuse({
		message: `Another item creates a webhook for ${company_number} with the same URL`,
		description:
			"Webhooks cannot be deleted. Take repeated rows out, for example with 'Remove Duplicates', or set 'Options' > 'Already Watched' to 'Make Another'.",
	});
}

/**
 * The service deletes no webhook, and each click would make one more.
 * @throws NodeOperationError where the company has an active one, unless the list shows that it delivers elsewhere
 */
async function refuseWatched(item: Item, { company_number, url }: NewWebhook): Promise<void> {
	const { webhooks } = await item.account.webhooks();
	const watching = [...webhooks.values()].find(
		(one) =>
			one.is_active &&
			comparableNumber(one.company_number) === company_number &&
			(one.url === undefined || one.url === url),
	);
	if (watching === undefined) return;
	throw item.refuse({
		message: `The account watches ${company_number} already, with the webhook ${watching.id}`,
		description:
			"Webhooks cannot be deleted. To change that one, use 'Update'. To have a second one, for example for another URL, set 'Options' > 'Already Watched' to 'Make Another'.",
	});
}

/** When a run fails, n8n drops its output, and with it the secrets of what it has created. */
async function pauseCreated(account: SharedAccount): Promise<string> {
	const { registry, created } = account;
	const signal = AbortSignal.timeout(LONGEST_PAUSING);
	const paused: string[] = [];
	const active: string[] = [];
	await concurrently(created, CONCURRENT_REQUESTS, async ({ wanted, webhook }) => {
		const name = `${webhook.id} (${wanted.company_number})`;
		await updateWebhook(registry, webhook.id, { is_active: false }, signal).then(
			() => paused.push(name),
			(reason: unknown) => active.push(`${name}: ${messageOf(reason)}`),
		);
	});
	keepLost(account);
	const told = [
		[
			"This run's output is lost, secrets included. These webhooks of it were paused, and the next run resumes them if it creates the same within 15 minutes",
			paused,
		],
		['These webhooks of this run could not be paused', active],
	] as const;
	return told.map(([what, ids]) => (ids.length > 0 ? ` ${what}: ${ids.join(', ')}.` : '')).join('');
}

function keepLost({ registry: { account }, created }: SharedAccount): void {
	const until = Date.now() + KEPT_FOR;
	for (const one of created) lost.set(one.webhook.id, { ...one, account, until });
	dropOldest(lost, KEPT);
}

/**
 * Resumes one that was just what is wanted; undefined if there is none, or the service refuses.
 * @throws RegistryFailure for what may pass; it is kept then
 */
async function resumeLost(
	{ registry, signal }: SharedAccount,
	wanted: NewWebhook,
): Promise<WebhookAnswer | undefined> {
	const isIt = (one: Lost) =>
		one.account === registry.account && one.until > Date.now() && isEqual(one.wanted, wanted);
	const found = [...lost.values()].find(isIt);
	if (found === undefined) return undefined;
	lost.delete(found.webhook.id);
	const changes = { url: wanted.url, events: wanted.events, is_active: true };
	return await updateWebhook(registry, found.webhook.id, changes, signal).then(
		({ is_active = true }) => ({ ...found.webhook, is_active }),
		async (reason: unknown) => {
			if (reason instanceof RegistryFailure && reason.kind === 'refused') return undefined;
			lost.set(found.webhook.id, found);
			return await Promise.reject(reason);
		},
	);
}
