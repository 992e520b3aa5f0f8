// The addresses in a client list, for mails that go to the person in charge of a company.
import { listedEmail } from '../../../nodes/CompanyRegistry/lists/email';
import type { ListRow } from '../../../nodes/CompanyRegistry/lists/list';
import { readListText } from '../../../nodes/CompanyRegistry/lists/readList';

/** The rows of a pasted table, whose cells are separated by bars. */
function rowsOf(...lines: string[]): ListRow[] {
	const list = readListText(lines.join('\n').replaceAll('|', '\t'));
	return 'listed' in list ? list.listed : [];
}
const emailIn = (headings: string, cells: string) =>
	listedEmail(rowsOf(`Company number|${headings}`, `99000001|${cells}`)[0]);

it.each([
	...['Email', 'E-mail', 'EMAIL ADDRESS', 'E mail', 'Mail', 'Emails', 'eMail', 'email2'],
	...['Partner email', 'partner_email', 'Email (client)'],
])('the address is read below %s', (heading) => {
	expect(emailIn(heading, 'jd@x.example')).toBe('jd@x.example');
});

const others = ['Mailing address', 'Gmail', 'Female', 'Partner'];
it.each(others)('no address is read below %s', (heading) => {
	expect(emailIn(heading, 'jd@x.example')).toBeNull();
});

it.each<[string, string | null]>([
	['Jane Doe <jane@x.example>', 'jane@x.example'],
	['jane@x.example; joe@x.example', 'jane@x.example'],
	['to follow, jane@@x.example;joe@x.example', 'joe@x.example'],
	['mailto:jane@x.example', 'jane@x.example'],
	["Jane.O'Neill+filings@mail.x.co.uk", "Jane.O'Neill+filings@mail.x.co.uk"],
	['jane@bücher.example', 'jane@bücher.example'],
	['jane@x', null],
])('the address in %j is %j', (cell, address) => {
	expect(emailIn('Email|Ref', `${cell}|1`)).toBe(address);
});

it('the address is that of the first column that has one in the row', () => {
	const headings = 'Email sent|Partner email|Client email';
	expect(emailIn(headings, 'yes||c@x.example')).toBe('c@x.example');
	expect(emailIn(headings, 'yes|p@x.example|c@x.example')).toBe('p@x.example');
});
