import { intersection, map } from 'lodash';
import type { IHookFunctions, INodeExecutionData } from 'n8n-workflow';

import { eventNameOf } from '../../shared/events';
import { MAXIMUM_SUBJECT, plainLine, withText } from '../../shared/itemText';
import { addressQuestion } from '../lifecycle/account';
import { followLink, readConfiguration } from '../lifecycle/configuration';
import { addressProblem, identify, urlOf } from '../lifecycle/identity';
import { memoryOf } from '../lifecycle/memory';
import { rowInForce, rowsInForce } from '../parameters/watchlist';
import { changesIn, previewLines, type Preview } from '../reports/preview';
import { reportItem } from '../reports/reportItem';

/** Everything that a sample is made of. */
interface Read {
	preview: Preview;
	/** Of the first company. */
	company: string;
	row: ReturnType<typeof rowInForce>;
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
	const report = desired.reports.isChosen ? [reportSample(read.preview, lines, now)] : [];
	return [...events, ...report].map((item, index) => {
		const subject = plainLine(`SAMPLE: ${String(item.subject)}`, MAXIMUM_SUBJECT);
		const text = `SAMPLE. Nothing was filed.\n${String(item.text)}`.trim();
		const preview = index === 0 && { preview: lines };
		return { json: { ...preview, ...item, subject, text } };
	});
}

async function readAll(context: IHookFunctions): Promise<Read> {
	const memory = memoryOf(identify(context));
	const { facts, subscriptions } = memory;
	const entered = readConfiguration(context, memory, true);
	if (entered.reading.problem) throw entered.reading.problem;
	const { desired, reading, list } = await followLink(context, entered, memory, true);

	const inForce = map(rowsInForce(facts.list), 'number') as string[];
	const before = intersection(inForce, map(subscriptions, 'company'));
	const [company] = desired.companies;
	const row = rowInForce(list, company);
	// A test has another address than the trigger that n8n has published.
	const url = memory.desired?.url;
	const question = url && addressQuestion(memory, { ...desired, url }, true);
	const addressObstacle = addressProblem(urlOf(context)) ?? question;
	const isFirst = facts.phase === 'new';
	return { preview: { desired, reading, before, isFirst, addressObstacle }, company, row };
}

function eventSample({ company, row }: Read, event: string, index: number, now: Date) {
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
	// The text shows only what the service sends.
	return { ...item, payload: { sample: true } };
}

/** An item of *Watch Report* about the publish that the preview shows. */
function reportSample(preview: Preview, lines: string[], now: Date) {
	const [verdict, ...others] = lines;
	const { desired, reading } = preview;
	const nothing = { unwatched: [], gaps: [], refused: new Map() };
	const changes = changesIn(preview);
	const status = { desired, reading, watched: desired.companies, ...changes, ...nothing };
	return reportItem({ verdict, text: others.join('\n'), state: 'complete' }, status, now.getTime());
}
