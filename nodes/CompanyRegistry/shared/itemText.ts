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
/** A payload may have millions of values. */
const MAXIMUM_VISITED = 1000;
/** Most lines need no look at each character. */
const USUAL = /^[ -;=?-~]*$/;

/** The event with a subject and a plain text, so that an email or chat node needs no code. */
export function withText<Item extends EventItem>(item: Item) {
	return { subject: eventSubject(item), text: eventText(item), ...item };
}

/** One line of plain text. It has no tags, because some email nodes send HTML. */
export function plainLine(value: unknown, maximum: number): string {
	const text = String(value);
	const line = text.slice(0, maximum + 1);
	const plain = USUAL.test(line)
		? line
		: line
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

/** The values of a payload with their paths, in order. */
function flatten(payload: unknown): string[] {
	const lines: string[] = [];
	let fields = 0;
	let visited = 0;
	const visit = (value: unknown, path: string): void => {
		if (visited++ >= MAXIMUM_VISITED || value === null || value === '') return;
		if (typeof value !== 'object') {
			if (++fields <= MAXIMUM_FIELDS) lines.push(field(path || 'value', value));
			return;
		}
		const entries = Object.entries(Array.isArray(value) ? value.slice(0, MAXIMUM_VISITED) : value);
		for (const [key, inner] of entries) visit(inner, path ? `${path}.${key}` : key);
	};
	visit(payload, '');
	const more = fields - lines.length;
	const count = visited > MAXIMUM_VISITED ? 'many' : more;

	return more > 0 ? [...lines, `… and ${count} more field${more === 1 ? '' : 's'}`] : lines;
}
