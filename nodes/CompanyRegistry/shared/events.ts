import { uniq } from 'lodash';
import type { INodePropertyOptions } from 'n8n-workflow';

/** The event names that the service documents. It has others, which users type in by hand. */
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

/** The trigger's own entry beside them, which is never sent to the service. */
export const STATUS_EVENT = 'watch.status';
export const STATUS_NAME = 'Watch Status';

/** What *Trigger On* offers. */
export const triggerOnOptions: INodePropertyOptions[] = [
	...eventOptions,
	{
		name: STATUS_NAME,
		value: STATUS_EVENT,
		description:
			'All companies are watched, or not all, or something was put right at the service. Comes from this trigger itself.',
		action: 'On watch status',
	},
];

/** Their names, as the service has them. */
export const offeredEvents = eventOptions.map(({ value }) => String(value));

/**
 * The chosen events and the ones typed in by hand as one list: trimmed, without duplicates,
 * in the order given. Those above are understood by value or name, in any case.
 *
 * @param events a list of names, or text with commas, spaces or new lines between them
 * @param additionalEvents the same
 */
export function eventNames(events: unknown, additionalEvents: unknown): string[] {
	return uniq([events, additionalEvents].flatMap(namesIn)).filter((name) => name !== STATUS_EVENT);
}

/** Whether *Watch Status* is among the chosen ones. */
export function choosesStatus(events: unknown): boolean {
	return namesIn(events).includes(STATUS_EVENT);
}

/** What *Trigger On* calls an event; null for one that it does not offer. */
export function eventNameOf(event: string | null): string | null {
	return eventOptions.find(({ value }) => value === event)?.name ?? null;
}

function namesIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(namesIn);
	if (typeof value !== 'string') return [];
	return value.split(/[,\n]/).flatMap((part) => {
		const known = valueOf(part.trim());
		if (known !== undefined) return [known];
		const words = part.split(/\s+/).filter((word) => word !== '');
		return words.map((word) => valueOf(word) ?? word);
	});
}

function valueOf(text: string): string | undefined {
	const wanted = text.toLowerCase();
	const option = triggerOnOptions.find(
		({ name, value }) => name.toLowerCase() === wanted || value === wanted,
	);
	return option?.value as string | undefined;
}
