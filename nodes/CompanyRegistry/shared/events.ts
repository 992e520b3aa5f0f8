import { compact, uniq } from 'lodash';
import type { INodePropertyOptions } from 'n8n-workflow';

/** The documented events. Users enter the names of other events by hand. */
export const eventOptions: INodePropertyOptions[] = [
	{
		name: 'New Filing',
		value: 'filing.new',
		description: 'A document, such as accounts or a confirmation statement, was filed',
		action: 'On new filing',
	},
	{
		name: 'Officer Appointed',
		value: 'officer.appointed',
		description: 'A director, secretary or other officer was appointed',
		action: 'On officer appointed',
	},
	{
		name: 'PSC Added',
		value: 'psc.added',
		description: 'A person with significant control (beneficial owner) was added',
		action: 'On PSC added',
	},
];

/** The trigger's own event, which is never sent to the service. */
export const REPORT_EVENT = 'watch.report';
export const REPORT_NAME = 'Watch Report';

export const triggerOnOptions: INodePropertyOptions[] = [
	...eventOptions,
	{
		name: REPORT_NAME,
		value: REPORT_EVENT,
		description: 'Reports from this trigger: setup, changes of your list, problems',
		action: 'On watch report',
	},
];

export const offeredEvents = eventOptions.map(({ value }) => String(value));

/** All events once, in order. Both parameters are lists, or texts with commas, semicolons, spaces or new lines between events. */
export function chosenEvents(events: unknown, additionalEvents: unknown): string[] {
	const all = [...eventsIn(events), ...eventsIn(additionalEvents)];
	return uniq(all).filter((event) => event !== REPORT_EVENT);
}

export function choosesReport(events: unknown): boolean {
	return eventsIn(events).includes(REPORT_EVENT);
}

/** The event's name in 'Trigger On'; null if it is not offered there. */
export function eventNameOf(event: string | null): string | null {
	return eventOptions.find(({ value }) => value === event)?.name ?? null;
}

/** The events in a list or text. Those that the form offers are known in any case. */
function eventsIn(value: unknown): string[] {
	const texts: unknown[] = Array.isArray(value) ? value : [value];
	const events = texts.flatMap((text) => (typeof text === 'string' ? text.split(/[\s,;]+/) : []));
	const offered = [...offeredEvents, REPORT_EVENT];
	return compact(events).map(
		(event) => offered.find((one) => one === event.toLowerCase()) ?? event,
	);
}
