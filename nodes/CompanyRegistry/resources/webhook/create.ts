import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { messageOf } from '../../registry/failure';
import { CONCURRENT_REQUESTS } from '../../registry/registry';
import { createWebhook, updateWebhook, type NewWebhook } from '../../registry/webhooks';
import { concurrently } from '../../shared/async';
import { comparableNumber } from '../../shared/companyNumber';
import { companyNumberField } from '../../shared/companyNumberLocator';
import { readCompanyNumber, readOption, refuseValue } from '../readParameters';
import type { Item, Operation } from '../run';
import type { SharedAccount } from '../sharedAccount';
import { additionalEventsField, eventsField, readEvents, readHttpsUrl, urlField } from './fields';

const alreadyWatchedField: INodeProperties = {
	displayName: 'If Already Watched',
	name: 'alreadyWatched',
	type: 'options',
	options: [
		{ name: 'Create Another', value: 'another', description: 'Its events may arrive twice' },
		{ name: 'Fail', value: 'fail', description: 'Create no webhook, and name the existing one' },
	],
	default: 'fail',
	description: 'What to do if the company has an active webhook that may deliver to the same URL',
};

/** How long a failed run keeps trying to pause its webhooks, in milliseconds. */
const PAUSE_LIMIT = 60_000;

export const create = {
	option: {
		name: 'Create',
		value: 'create',
		description: "Send a company's events to a URL",
		action: 'Create webhook',
	},
	fields: [
		companyNumberField,
		{
			displayName:
				"To start a workflow on events, use the trigger instead. The service shows the signing secret only once, so store it in the next node. If an item fails, this node pauses the run's webhooks, unless 'On Error' is 'Continue'.",
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
		if (item.context.getNode().retryOnFail) {
			throw item.refuse({
				message: "'Create' does not run with 'Retry On Fail'",
				description: `Switch 'Retry On Fail' off in this node's settings: each retry would create further webhooks.`,
			});
		}

		const company_number = readCompanyNumber(item);
		const url = readHttpsUrl(item, item.parameter('url', ''));
		const events = readEvents(item, {
			events: item.parameter('events', []),
			additionalEvents: item.parameter('additionalEvents', ''),
		});
		if (events.length === 0) {
			const next = "Choose at least one event, or enter its name under 'Additional Events'.";
			throw refuseValue(item, eventsField, '', next);
		}

		const { alreadyWatched = 'fail' } = { ...(item.parameter('options', {}) as IDataObject) };
		const createsAnother = readOption(item, alreadyWatchedField, alreadyWatched) === 'another';
		const body = { url, company_number, events };
		if (!createsAnother) reserveTarget(item, body);

		return async () => {
			if (!createsAnother) await refuseWatched(item, body);
			const { registry, signal, created } = item.account;
			const webhook = await createWebhook(registry, body, signal);
			if (webhook.secret === undefined) {
				throw item.refuse({
					message: `The service sent no signing secret for the webhook ${webhook.id}`,
					description:
						"Its deliveries cannot be verified. The webhook may be older, so nothing was changed. Check it with 'Get', and pause it if nothing uses it.",
				});
			}
			created.set(webhook.id, company_number);
			return [webhook];
		};
	},
	undo: pauseCreated,
} satisfies Operation;

/** Keeps company and URL for this item. @throws NodeOperationError if an earlier item has the same */
function reserveTarget(item: Item, { company_number, url }: NewWebhook): void {
	const { reserved } = item.account;
	const key = `${company_number} ${url}`;
	if (!reserved.has(key)) {
		reserved.add(key);
		return;
	}
	throw item.refuse({
		message: `Another item creates a webhook for ${company_number} with the same URL`,
		description: `Remove repeated rows, for example with 'Remove Duplicates', or set 'If Already Watched' (under Options) to 'Create Another'.`,
	});
}

/** @throws NodeOperationError if the company has an active webhook that may deliver to this URL */
async function refuseWatched(item: Item, { company_number, url }: NewWebhook): Promise<void> {
	const { webhooks } = await item.account.webhooks();
	const existing = [...webhooks.values()].find(
		(webhook) =>
			webhook.is_active &&
			comparableNumber(webhook.company_number) === company_number &&
			(webhook.url === undefined || webhook.url === url),
	);
	if (existing === undefined) return;
	throw item.refuse({
		message: `The account already watches ${company_number} with the webhook ${existing.id}`,
		description: `Change it with 'Update', or set 'If Already Watched' (under Options) to 'Create Another', for example for another URL.`,
	});
}

/** Pauses the webhooks of a failed run, because n8n drops its output, secrets included. */
async function pauseCreated({ registry, created }: SharedAccount): Promise<string> {
	const signal = AbortSignal.timeout(PAUSE_LIMIT);
	const paused: string[] = [];
	const active: string[] = [];
	await concurrently([...created], CONCURRENT_REQUESTS, async ([id, company_number]) => {
		const name = `${id} (${company_number})`;
		await updateWebhook(registry, id, { is_active: false }, signal).then(
			() => paused.push(name),
			(reason: unknown) => active.push(`${name}: ${messageOf(reason)}`),
		);
	});
	const said = (text: string, names: string[]) =>
		names.length > 0 ? ` ${text}: ${names.join(', ')}.` : '';

	return (
		said(
			"n8n dropped this run's output, including the secrets, so the node paused the webhooks that it had created",
			paused,
		) + said('These webhooks of this run are still active', active)
	);
}
