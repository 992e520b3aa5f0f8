import { countBy, toLower, upperFirst } from 'lodash';

/** The fields of an event that its subject and text show. */
interface EventItem
	extends Record<'event' | 'event_name' | 'company_number' | 'company_name', string | null> {
	list_columns: object | null;
	/** ISO 8601 in UTC. */
	received_at: string;
	payload: unknown;
}

export const REGISTER = 'https://find-and-update.company-information.service.gov.uk/company/';
export const MAXIMUM_SUBJECT = 120;
const MAXIMUM_NAME = 100;
const MAXIMUM_VALUE = 500;
const MAXIMUM_FIELDS = 20;
/** Of a name and its parents. */
const MAXIMUM_LEVELS = 4;
/** A payload may have millions of values. */
const MAXIMUM_VISITED = 1000;

/** The event with a subject and a plain text, so that an email or chat node needs no code. */
export function withText<Item extends EventItem>(item: Item) {
	return { subject: eventSubject(item), text: eventText(item), ...item };
}

/** One line of plain text. It has no tags, because some email nodes send HTML. */
export function plainLine(value: unknown, maximum: number): string {
	const text = String(value);
	const plain = text
		.slice(0, maximum + 1)
		.replace(/\p{Cf}+/gu, '')
		.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
		.replaceAll('<', '‹')
		.replaceAll('>', '›');
	if (text.length <= maximum) return plain.trim();
	// The cut must not leave half of a character.
	return `${plain.slice(0, maximum - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function eventSubject({ event, event_name, company_number, company_name }: EventItem): string {
	// A long event name leaves room for the company.
	const what = plainLine(event_name ?? event ?? 'Event', MAXIMUM_SUBJECT / 2);
	return plainLine(`${what}: ${company_name ?? company_number}`, MAXIMUM_SUBJECT);
}

function eventText(item: EventItem): string {
	const { event, event_name, company_number, company_name, received_at, payload } = item;
	const row = Object.entries(item.list_columns ?? {})
		.filter(([, cell]) => cell !== '')
		.map(([heading, cell]) => field(heading, cell));

	return [
		...(company_name ? [field('Company', company_name)] : []),
		`Number: ${company_number}`,
		field('Event', event_name ?? event ?? 'not named'),
		`Received: ${received_at.slice(0, 16).replace('T', ' ')} UTC`,
		`Register: ${REGISTER}${company_number}`,
		...section('Your list:', row),
		...section('The service sent:', flatten(payload)),
	].join('\n');
}

function section(title: string, lines: string[]): string[] {
	return lines.length > 0 ? ['', title, ...lines] : [];
}

function field(name: string, value: unknown): string {
	return `${plainLine(name, MAXIMUM_NAME)}: ${plainLine(value, MAXIMUM_VALUE)}`;
}

/** The values of a payload with their names, in order. */
function flatten(payload: unknown): string[] {
	const found: Array<{ path: string[]; value: unknown }> = [];
	let visited = 0;
	const visit = (value: unknown, path: string[]): void => {
		if (visited++ >= MAXIMUM_VISITED || value === null || value === '') return;
		if (typeof value !== 'object') {
			found.push({ path, value });
			return;
		}
		if (Array.isArray(value)) {
			// Its entries have its name, counted from 1.
			const [name = '', outer] = [path.at(-1), path.slice(0, -1)];
			const entries = value.slice(0, MAXIMUM_VISITED);
			entries.forEach((inner, index) => visit(inner, [...outer, `${name} ${index + 1}`]));
			return;
		}
		for (const [key, inner] of Object.entries(value)) visit(inner, [...path, key]);
	};
	visit(payload, []);
	const shown = found.slice(0, MAXIMUM_FIELDS);
	const names = fieldNames(shown.map(({ path }) => path));
	const lines = shown.map(({ value }, index) => field(names[index], value));

	return found.length > shown.length ? [...lines, '… and more fields'] : lines;
}

/** The last name of each path in words, with its parents where another path has the same. */
function fieldNames(paths: string[][]): string[] {
	const own = paths.map((path) => inWords(path.slice(-1)));
	const counts = countBy(own);
	return paths.map((path, index) =>
		counts[own[index]] === 1 ? own[index] : inWords(path.slice(-MAXIMUM_LEVELS)),
	);
}

/** `made_up_date` and `madeUpDate` as *Made up date*. */
function inWords(names: string[]): string {
	const text = names.map((name) => name.slice(0, MAXIMUM_NAME + 1)).join(' ');
	const words = text
		.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
		.replace(/[\s_-]+/g, ' ')
		.replace(/\b[A-Z](?=[a-z])/g, toLower);
	return upperFirst(words.trim()) || 'Value';
}
