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

/**
 * The chosen events and the ones typed in by hand as one list: trimmed, without duplicates,
 * in the order given.
 *
 * @param events the value of a list of event options, by value or name in any case, or text like the other
 * @param additionalEvents names separated by commas, spaces or new lines, or a list of names
 */
export function eventNames(events: unknown, additionalEvents: unknown): string[] {
	return [...new Set([...chosenNames(events), ...names(additionalEvents)])];
}

/** What *Trigger On* calls an event; null for one that it does not offer. */
export function eventNameOf(event: string | null): string | null {
	return eventOptions.find(({ value }) => value === event)?.name ?? null;
}

function chosenNames(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(chosenNames);
	if (typeof value !== 'string') return [];
	return value.split(/[,\n]/).flatMap((part) => {
		const known = documentedName(part.trim());
		return known === undefined ? names(part).map((name) => documentedName(name) ?? name) : [known];
	});
}

/** The documented event with this value or name. */
function documentedName(text: string): string | undefined {
	const wanted = text.toLowerCase();
	const option = eventOptions.find(
		({ name, value }) => name.toLowerCase() === wanted || value === wanted,
	);
	return option?.value as string | undefined;
}

function names(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(names);
	return typeof value === 'string' ? value.split(/[\s,]+/).filter((name) => name !== '') : [];
}
