// The subject and the text of an event are plain, short and cheap, whatever the list and the service send.
import { withText } from '../../../nodes/CompanyRegistry/shared/itemText';

const ITEM = {
	event: 'filing.new' as string | null,
	event_name: 'New Filing' as string | null,
	company_number: '99000001',
	company_name: 'Tessellate Stores plc' as string | null,
	list_columns: { Client: 'Tessellate', Partner: '', Ref: 17 } as object | null,
	received_at: '2026-03-04T05:06:07.890Z',
	payload: {
		event: 'filing.new',
		data: { date: '2026-03-03', pages: 2, closed: false },
	} as unknown,
};

const LONG = 'K'.repeat(106);

const of = (changes: Partial<typeof ITEM>) => withText({ ...ITEM, ...changes });
/** The lines under *The service sent:*. */
const sent = (payload: unknown) =>
	of({ payload }).text.split('The service sent:\n')[1]?.split('\n');

it.each<[string, Partial<typeof ITEM>, string]>([
	['the event and the company', {}, 'New Filing: Tessellate Stores plc'],
	['the number without a name', { company_name: null }, 'New Filing: 99000001'],
	['an event as sent', { event: 'a.b', event_name: null }, 'a.b: Tessellate Stores plc'],
	['no event', { event: null, event_name: null }, 'Event: Tessellate Stores plc'],
	['line breaks', { company_name: 'K\r\nBcc: a@b\u2028\u200BLtd' }, 'New Filing: K Bcc: a@b Ltd'],
	['a name with tags', { company_name: '<b onclick="x">Kite' }, 'New Filing: ‹b onclick="x"›Kite'],
	['a cut within a character', { company_name: `${LONG}😀${LONG}` }, `New Filing: ${LONG}…`],
])('the subject is one line with %s', (_what, changes, subject) => {
	expect(of(changes).subject).toBe(subject);
	expect(subject.length).toBeLessThanOrEqual(120);
});

it('the text has the company, its row of the list and what the service sent', () => {
	expect(of({}).text).toBe(`Company: Tessellate Stores plc
Number: 99000001
Event: New Filing
Received: 2026-03-04 05:06 UTC
Register: https://find-and-update.company-information.service.gov.uk/company/99000001

Your list:
Client: Tessellate
Ref: 17

The service sent:
Event: filing.new
Date: 2026-03-03
Pages: 2
Closed: false`);
});

it('the text leaves out what is not known', () => {
	const nothing = { company_name: null, list_columns: null, event: null, event_name: null };
	expect(of({ ...nothing, payload: {} }).text.split('\n')).toEqual([
		'Number: 99000001',
		'Event: not named',
		'Received: 2026-03-04 05:06 UTC',
		expect.stringMatching(/^Register: /),
	]);
});

it.each<[string, unknown, string[]]>([
	['a list with a name', { sic_codes: ['a', 'b'] }, ['Sic codes 1: a', 'Sic codes 2: b']],
	['a single value', 17, ['Value: 17']],
	['empty values, which are left out', { a: null, b: '', c: {}, d: [], e: 0 }, ['E: 0']],
	[
		'names in words',
		{ data: { description_values: { made_up_date: 1 }, madeUpBy: 2, companyURL: 3, '-': 4 } },
		['Made up date: 1', 'Made up by: 2', 'Company URL: 3', 'Value: 4'],
	],
	[
		'the same name of several parents',
		{ date: 1, data: { date: 2, filing: { date: 3, pages: 4 } } },
		['Date: 1', 'Data date: 2', 'Data filing date: 3', 'Pages: 4'],
	],
	[
		'the same name of the entries of a list',
		{
			items: [
				{ type: 'a', links: { self: 1 } },
				{ type: 'b', links: { self: 2 } },
			],
		},
		['Items 1 type: a', 'Items 1 links self: 1', 'Items 2 type: b', 'Items 2 links self: 2'],
	],
	['a key with tags and line breaks', { '<a>\nb': '\tc\u0007' }, ['‹a› b: c']],
	['a long value', { a: 'v'.repeat(999) }, [`A: ${'v'.repeat(499)}…`]],
])('the text shows %s', (_what, payload, lines) => {
	expect(sent(payload)).toEqual(lines);
});

it.each([20, 21, 100_000])('of %i fields the text shows 20', (count) => {
	const lines = sent(Array(count).fill({ a: 1 }));
	expect(lines.slice(20)).toEqual(count > 20 ? ['… and more fields'] : []);
});
