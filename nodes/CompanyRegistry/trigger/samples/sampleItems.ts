import { compact, map } from 'lodash';
import type { IDataObject, IHookFunctions, INodeExecutionData } from 'n8n-workflow';

import { eventNameOf } from '../../shared/events';
import { withText } from '../../shared/itemText';
import { formatCompany, pluralise } from '../../shared/format';
import { readDesired } from '../lifecycle/desired';
import { followLink } from '../lifecycle/followedLink';
import { identify } from '../lifecycle/identity';
import { memoryOf } from '../lifecycle/state';
import { completedNumbers, currentList, listedCompany } from '../parameters/watchlist';
import { changesOf, renumbered, reportItem } from '../parameters/watchReport';

const MAXIMUM_ROWS = 100;
const MAXIMUM_COMPANIES = 20;

/**
 * A sample of each chosen event for the first company, with a preview of what a publish would do.
 * @throws Error where a publish cannot read the parameters
 */
export async function sampleItems(context: IHookFunctions): Promise<INodeExecutionData[]> {
	const memory = memoryOf(identify(context));
	const isPublished = memory.facts.status === 'published';
	const previous = (isPublished && memory.desired?.companies) || [];
	const entered = readDesired(context, memory, previous);
	if (entered.problem) throw entered.problem;
	const desired = await followLink(context, entered, memory, !isPublished);
	const { companies, kept, names, rows, repeated, problem, followed } = desired;
	const { added, removed } = changesOf(previous, companies);
	const read = companies.length - kept.length;
	const unreadable = rows - read - repeated;
	const notRead = `${pluralise(unreadable, 'row')} not read`;
	const all = pluralise(companies.length, 'company');
	const isStrict = memory.facts.status === 'new' && desired.options.unwatchable === 'stop';
	const stops =
		isStrict &&
		unreadable > 0 &&
		`The first publish will stop: ${notRead}. Correct them, or set 'Invalid Companies' (under Options) to 'Skip' to watch the other ${all}.`;
	const obstacle = problem?.message ?? stops;
	const publishes = obstacle || `Publishing will watch ${all}`;

	const list = currentList(context, followed) ?? { listed: [] };
	const lines = (title: string, all: string[], most = MAXIMUM_COMPANIES) => [
		...all.slice(0, most).map((one) => `${title}: ${one}`),
		all.length > most && `${title}: ${all.length - most} more`,
	];
	const named = (all: string[]) => all.map((company) => formatCompany(company, names));
	const slips = renumbered(removed, desired).slice(0, MAXIMUM_COMPANIES);
	const preview = compact([
		publishes,
		followed?.isWindows1252 &&
			'Read as windows-1252, because the list is not UTF-8: check the names',
		...lines('Not read', map(desired.unreadable, 'words'), MAXIMUM_ROWS),
		...lines('Completed', completedNumbers(list)),
		...lines('Publishing will add', isPublished ? named(added) : []),
		...lines('Publishing will remove', named(removed)),
		...lines('Still watched because of the rows that were not read', named(kept)),
		...slips.map((one) => `${one}: correct it if it is a slip`),
	]).join('\n');

	const subject = `SAMPLE: ${pluralise(read, 'company')} read, ${notRead}`;
	const sampleOf = (item: IDataObject, words: unknown, payload = item.payload) => {
		const text = `SAMPLE. Nothing was filed.\n${String(words)}`;
		return { json: { preview, ...item, subject, text, payload } };
	};
	const now = new Date();
	const [company] = companies;
	const { name, email, columns } = listedCompany(context, company, followed ?? memory.facts.list);
	const payload = { sample: true, rows, companies: read, repeated, unreadable };
	const items = desired.events.map((event, index) => {
		const item = withText({
			event,
			event_name: eventNameOf(event),
			company_number: company,
			company_name: name,
			list_email: email,
			list_columns: columns,
			webhook_id: 'sample',
			delivery_id: `sample:${now.getTime()}:${index}`,
			received_at: now.toISOString(),
			payload: {},
		});
		return sampleOf(item, item.text, payload);
	});
	if (!desired.showsReport) return items;
	const changes = `${publishes}: ${added.length} added, ${removed.length} removed.`;
	const summary = obstacle || changes;
	const counts = { wanted: companies.length, watched: companies.length - added.length };
	const state = added.length > 0 ? ('settingUp' as const) : ('complete' as const);
	const none = { repaired: new Map<string, string>(), left: new Map<string, string>() };
	const item = reportItem({ state, summary, ...counts, added, removed, ...none }, names, +now);
	return [...items, sampleOf(item, summary)];
}
