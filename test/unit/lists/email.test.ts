// The addresses in a client list, for mails that go to the person in charge of a company.
import { emailColumn, listedEmail } from '../../../nodes/CompanyRegistry/lists/email';
import type { ListRow } from '../../../nodes/CompanyRegistry/lists/list';
import { readListText } from '../../../nodes/CompanyRegistry/lists/readList';

/** The rows of a pasted table, whose cells are separated by bars. */
function rowsOf(...lines: string[]): ListRow[] {
	const list = readListText(lines.join('\n').replaceAll('|', '\t'));
	return 'listed' in list ? list.listed : [];
}
const emailIn = (headings: string, cells: string) =>
	listedEmail(rowsOf(`Company number|${headings}`, `99000001|${cells}`)[0]);

describe('listedEmail', () => {
	it.each([
		...['Email', 'E-mail', 'EMAIL ADDRESS', 'E mail', 'Mail', 'Emails', 'eMail', 'email2'],
		...['Partner email', 'partner_email', 'Email (client)'],
	])('reads the column %s', (heading) => {
		expect(emailIn(heading, 'jd@x.example')).toBe('jd@x.example');
	});

	const others = ['Mailing address', 'Gmail', 'Female', 'Partner'];
	it.each(others)('reads no column %s', (heading) => {
		expect(emailIn(heading, 'jd@x.example')).toBeNull();
	});

	it.each([
		['Jane Doe <jane@x.example>', 'jane@x.example'],
		['jane@x.example; joe@x.example', 'jane@x.example'],
		['to follow, jane@@x.example;joe@x.example', 'joe@x.example'],
		['mailto:jane@x.example', 'jane@x.example'],
		["Jane.O'Neill+filings@mail.x.co.uk", "Jane.O'Neill+filings@mail.x.co.uk"],
		['jane@bücher.example', 'jane@bücher.example'],
		...['jane@x', 'jane.x.example', '@x.example', ''].map((cell): [string, null] => [cell, null]),
	])('finds in %j the address %j', (cell, address) => {
		expect(emailIn('Email|Ref', `${cell}|1`)).toBe(address);
	});

	it('takes the first column that has an address in the row', () => {
		const headings = 'Email sent|Partner email|Client email';
		expect(emailIn(headings, 'yes||c@x.example')).toBe('c@x.example');
		expect(emailIn(headings, 'yes|p@x.example|c@x.example')).toBe('p@x.example');
	});

	it('finds none in a list without headings, nor for a company that is not listed', () => {
		const [row] = rowsOf('99000001|jd@x.example', '99000002|jd@x.example');
		expect([row.number, listedEmail(row), listedEmail({})]).toEqual(['99000001', null, null]);
	});
});

describe('emailColumn', () => {
	const HEADINGS = 'Company number|Company name|email|Partner E-mail';

	it('names the column, its addresses and the first of them, each company once', () => {
		const rows = rowsOf(
			HEADINGS,
			'99000001|One||',
			'99000002|Two|two@x.example|',
			'99000002|Two again|again@x.example|',
			'sole trader|Three|three@x.example|',
			'99000004|Four|four@x.example|partner@x.example',
		);
		expect(emailColumn(rows)).toEqual({ column: 'email', count: 2, first: 'two@x.example' });
	});

	it('names all columns from which addresses come', () => {
		const rows = rowsOf(HEADINGS, '99000001|One||partner@x.example', '99000002|Two|two@x.example|');
		const column = 'Partner E-mail or email';
		expect(emailColumn(rows)).toEqual({ column, count: 2, first: 'partner@x.example' });
	});

	it('is undefined where no company has an address', () => {
		expect(emailColumn(rowsOf(HEADINGS, '99000001|One|none|'))).toBeUndefined();
		expect(emailColumn(rowsOf('99000001', '99000002'))).toBeUndefined();
	});
});
