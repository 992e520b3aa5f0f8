import { compact, map } from 'lodash';
import type { IDataObject, IHookFunctions, INodeExecutionData } from 'n8n-workflow';

import { readLink } from '../../lists/link';
import { columnsOf } from '../../lists/storedList';
import { choosesStatus, eventNameOf } from '../../shared/events';
import { withText } from '../../shared/itemText';
import { formatCompany, pluralise } from '../../shared/format';
import { changesOf, companiesToWatch } from '../lifecycle/desired';
import { hasShrunk, LIST_CREDENTIAL } from '../lifecycle/followedLink';
import { identify } from '../lifecycle/identity';
import { findMemory } from '../lifecycle/state';
import { checkScheme, readCompaniesFrom, readOptions } from '../parameters/options';
import * as watchlist from '../parameters/watchlist';
import { renumbered, statusItem } from '../parameters/watchStatus';

/**
 * A sample of each chosen event for the first company, with a preview of what a publish would do.
 * @throws Error where a publish cannot read the parameters
 */
export async function sampleItems(context: IHookFunctions): Promise<INodeExecutionData[]> {
	const options = readOptions(context);
	const from = readCompaniesFrom(context);
	const entered = watchlist.enteredList(context);
	const follow = async () => await readLink(context, await context.getCredentials(LIST_CREDENTIAL));
	const followed = entered ? undefined : await follow();
	const list = entered ?? followed?.list ?? { candidates: [] };
	const read = watchlist.readCompanies(list, from);
	const events = watchlist.readEvents(context, options);
	checkScheme(options);

	const memory = findMemory(identify(context));
	const status = memory?.facts.status ?? 'new';
	const isPublished = status === 'published';
	const previous = (isPublished && memory?.desired?.companies) || [];
	const isKept = followed !== undefined && hasShrunk(read.companies, previous);
	const { companies, kept } = isKept
		? { companies: previous, kept: [] }
		: companiesToWatch(read, previous, options.unwatchable);
	const { added, removed } = changesOf(previous, companies);
	const names = new Map([...(memory?.desired?.names ?? []), ...read.names]);
	const unreadable = read.rows - read.companies.length - read.repeated;
	const notRead = `${pluralise(unreadable, 'row')} not read`;
	const all = pluralise(companies.length, 'company');
	const isStopped = status === 'new' && options.unwatchable === 'stop' && unreadable > 0;
	const publishes = isKept
		? 'Publishing keeps the previous list: fewer than half of its companies are left. To accept this list, unpublish first'
		: isStopped
			? `The first publish will stop: ${notRead}. Correct them, or set Options → Companies That Cannot Be Watched to Skip to watch the other ${all}`
			: `Publishing will watch ${all}`;
	const lines = (title: string, all: string[], room = 20) => [
		...all.slice(0, room).map((one) => `${title}: ${one}`),
		all.length > room && `${title}: ${all.length - room} more`,
	];
	const calledAll = (all: string[]) => all.map((company) => formatCompany(company, names));
	const preview = compact([
		publishes,
		followed?.isWindows1252 &&
			'Read as windows-1252, because the list is not UTF-8: check the names',
		...lines('Not read', map(read.unreadable, 'words'), 100),
		...lines('Completed', watchlist.completedNumbers(list)),
		...lines('Publishing will add', isPublished ? calledAll(added) : []),
		...lines('Publishing will remove', calledAll(removed)),
		...lines('Still watched because of the rows that were not read', calledAll(kept)),
		...renumbered(removed, companies, names)
			.slice(0, 20)
			.map((one) => `${one}: correct it if it is a slip`),
	]).join('\n');

	const subject = `SAMPLE: ${pluralise(read.companies.length, 'company')} read, ${notRead}`;
	const sampleOf = (item: IDataObject, words: unknown, payload = item.payload) => {
		const text = `SAMPLE. Nothing was filed.\n${String(words)}`;
		return { json: { preview, ...item, subject, text, payload } };
	};
	const now = new Date();
	const [company] = read.companies;
	const listed =
		'listed' in list ? list.listed.find(({ number }) => number === company) : undefined;
	const { rows, repeated } = read;
	const payload = { sample: true, rows, companies: read.companies.length, repeated, unreadable };
	const items = events.map((event, index) => {
		const item = withText({
			event,
			event_name: eventNameOf(event),
			company_number: company,
			company_name: listed?.name ?? null,
			list_columns: columnsOf(listed ?? {}),
			webhook_id: 'sample',
			delivery_id: `sample:${now.getTime()}:${index}`,
			received_at: now.toISOString(),
			payload: {},
		});
		return sampleOf(item, item.text, payload);
	});
	if (!choosesStatus(context.getNodeParameter('events', []))) return items;
	const changes = `${added.length} added, ${removed.length} removed`;
	const summary = isKept || isStopped ? `${publishes}.` : `${publishes}: ${changes}.`;
	const counts = { wanted: companies.length, watched: companies.length - added.length };
	const state = added.length > 0 ? ('settingUp' as const) : ('complete' as const);
	const none = { repaired: new Map<string, string>(), left: new Map<string, string>() };
	const item = statusItem({ state, summary, ...counts, added, removed, ...none }, names, +now);
	return [...items, sampleOf(item, summary)];
}
