import { difference, intersection, map } from 'lodash';
import type { IDataObject, IHookFunctions, INodeExecutionData } from 'n8n-workflow';

import { eventNameOf } from '../../shared/events';
import { MAXIMUM_SUBJECT, plainLine, withText } from '../../shared/itemText';
import { askAboutAddress, obstacleIn } from '../lifecycle/account';
import { controllerOf } from '../lifecycle/activation';
import {
	digestOfCompanies,
	followLink,
	keptIn,
	listedCompanies,
	readDesired,
	type DesiredState,
} from '../lifecycle/desired';
import { addressProblem, identify, urlOf } from '../lifecycle/identity';
import { memoryOf, type TriggerMemory } from '../lifecycle/state';
import { isWatched } from '../records/subscription';
import {
	acceptedCompanies,
	currentList,
	describeEmails,
	listedCompany,
} from '../parameters/watchlist';
import { previewLines, type Preview } from '../reports/preview';
import { reportItem } from '../reports/reportItem';
import { clockIn } from '../reports/times';

/** Everything that a sample is made of. */
interface Read {
	preview: Preview;
	/** Of the first company. */
	company: string;
	row: Pick<ReturnType<typeof listedCompany>, 'name' | 'email' | 'columns'>;
}

/**
 * A sample of each chosen event for the first company; the first one has a preview of what a publish would do.
 * @throws Error where a publish cannot read the parameters
 */
export async function sampleItems(context: IHookFunctions): Promise<INodeExecutionData[]> {
	const read = await readAll(context);
	const { desired } = read.preview;
	const lines = previewLines(read.preview);
	const now = new Date();

	const events = desired.events.map((event, index) => eventSample(read, event, index, now));
	const items = desired.showsReport ? [...events, reportSample(read.preview, lines, now)] : events;
	return items.map((item, index) => {
		const subject = index === 0 ? `${lines[0]} (SAMPLE)` : `SAMPLE: ${String(item.subject)}`;
		const text = `SAMPLE. Nothing was filed.\n${String(item.text)}`.trim();
		const preview = index === 0 && { preview: lines };
		return { json: { ...preview, ...item, subject: plainLine(subject, MAXIMUM_SUBJECT), text } };
	});
}

async function readAll(context: IHookFunctions): Promise<Read> {
	const memory = memoryOf(identify(context));
	const { facts } = memory;
	const { status } = facts;
	const isFresh = status === 'unpublished';

	const entered = readDesired(context, memory, isFresh);
	if (entered.problem) throw entered.problem;
	const desired = await followLink(context, entered, memory, isFresh);
	const kept = [...keptIn(facts).keys()];
	const accepted = [...acceptedCompanies(facts.list).companies, ...kept];
	const before = intersection(accepted, map(memory.known, 'company'));
	const ends = isFresh ? difference(kept, desired.companies) : [];

	const [company] = desired.companies;
	const row = listedCompany(context, company, desired.list);
	const emails = describeEmails(currentList(context, desired.list));
	const digest = digestOfCompanies(listedCompanies(desired));
	const isReported = status === 'published' && facts.removalsReported === digest;
	const isFirst = status === 'new';
	// A test has another address than the trigger that n8n has published.
	const url = memory.desired?.url;
	const question = url && askAboutAddress(memory, { ...desired, url }, true);
	const obstacle = obstacleIn(context) ?? addressProblem(urlOf(context)) ?? question;
	const more = { emails, isReported, isFirst, obstacle, ...statusNow(context, memory, desired) };
	return { preview: { desired, before, ends, ...more }, company, row };
}

/** What the trigger has met so far. A trigger that is not published watches nothing, and that is no problem. */
function statusNow(
	context: IHookFunctions,
	memory: TriggerMemory,
	{ companies }: Pick<DesiredState, 'companies'>,
) {
	const { facts, known } = memory;
	const published = facts.status === 'published' ? memory.desired : undefined;
	const alive = known.filter((one) => published && isWatched(one, published));
	const watched = map(alive, 'company');
	const refused = difference(intersection(companies, [...memory.refused.keys()]), watched);
	const shouldWatch = intersection(companies, published?.companies);

	const { check } = facts.failingSince ?? {};
	const clock = clockIn(context.getTimezone(), Date.now());
	return {
		isIdle: watched.length === 0,
		refused,
		notWatched: difference(shouldWatch, watched, refused),
		failingSince: check === undefined ? undefined : clock.timeOf(check),
		hasFailed: controllerOf(memory).hasFailed,
	};
}

function eventSample({ preview, company, row }: Read, event: string, index: number, now: Date) {
	const { rows, repeats, unreadable } = preview.desired;
	const item = withText({
		event,
		event_name: eventNameOf(event),
		company_number: company,
		company_name: row.name,
		list_email: row.email,
		list_columns: row.columns,
		webhook_id: 'sample',
		delivery_id: `sample:${now.getTime()}:${index}`,
		received_at: now.toISOString(),
		payload: {},
	});
	const payload = {
		sample: true,
		rows,
		companies: listedCompanies(preview.desired).length,
		repeated: repeats.length,
		unreadable: unreadable.length,
	};

	// The text shows only what the service sends.
	return { ...item, payload };
}

/** An item of *Watch Report* about the publish that the preview shows. */
function reportSample(preview: Preview, lines: string[], now: Date): IDataObject {
	const { desired, before, refused = [], notWatched = [] } = preview;
	const [verdict, ...others] = lines;
	const unwatched = [...refused, ...notWatched];
	const watched = difference(intersection(desired.companies, before), unwatched);
	const added = difference(desired.companies, before, unwatched);
	const complete = unwatched.length > 0 ? ('incomplete' as const) : ('complete' as const);
	const report = {
		id: 'sample',
		verdict,
		text: others.join('\n'),
		state: added.length > 0 ? ('settingUp' as const) : complete,
		lists: {
			added,
			removed: difference(before, desired.companies),
			repaired: new Map(),
			left: new Map(unwatched.map((company) => [company, 'Not watched now'])),
		},
	};

	return reportItem(report, { desired, watched }, now.getTime());
}
