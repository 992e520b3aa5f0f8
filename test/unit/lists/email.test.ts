// The addresses in a client list, for mails that go to the person in charge of a company.
import { emailColumn, listedEmail } from '../../../nodes/CompanyRegistry/lists/email';
import type { ListRow } from '../../../nodes/CompanyRegistry/lists/list';
import { readListText } from '../../../nodes/CompanyRegistry/lists/readList';

/** The rows of a pasted table. */
function rowsOf(...lines: string[][]): ListRow[] {
	const list = readListText(lines.map((cells) => cells.join('\t')).join('\n'));
	if ('message' in list) throw new Error(list.message);
	return list.listed;
}

const rowWith = (headings: string[], cells: string[]) =>
	rowsOf(['Company number', ...headings], ['99000001', ...cells])[0];

describe('listedEmail', () => {
	it.each([
		...['Email', 'E-mail', 'email', 'EMAIL ADDRESS', 'E mail', 'Mail', 'Emails', 'eMail'],
		...['Partner email', 'partner_email', 'partnerEmail', 'Email 2', 'Email (client)', 'E_Mail'],
	])('reads the column %s', (heading) => {
		expect(listedEmail(rowWith([heading], ['jd@x.example']))).toBe('jd@x.example');
	});

	it.each(['Mailing address', 'Gmail', 'Female', 'Partner', 'Voicemail', 'Blackmail'])(
		'reads no column %s',
		(heading) => {
			expect(listedEmail(rowWith([heading], ['jd@x.example']))).toBeNull();
		},
	);

	it.each([
		['Jane Doe <jane@x.example>', 'jane@x.example'],
		['jane@x.example; joe@x.example', 'jane@x.example'],
		['to follow, joe@x.example', 'joe@x.example'],
		['jane@@x.example;joe@x.example', 'joe@x.example'],
		['mailto:jane@x.example', 'jane@x.example'],
		["Jane.O'Neill+filings@mail.x.co.uk", "Jane.O'Neill+filings@mail.x.co.uk"],
		['jane@bücher.example', 'jane@bücher.example'],
		['jane@x', null],
		['jane.x.example', null],
		['@x.example', null],
		['jane@x..example', null],
		['', null],
		['none', null],
	])('finds in %j the address %j', (cell, address) => {
		expect(listedEmail(rowWith(['Email', 'Ref'], [cell, '1']))).toBe(address);
	});

	it('takes the first column that has an address in the row', () => {
		const headings = ['Email sent', 'Partner email', 'Client email'];
		expect(listedEmail(rowWith(headings, ['yes', '', 'c@x.example']))).toBe('c@x.example');
		expect(listedEmail(rowWith(headings, ['yes', 'p@x.example', 'c@x.example']))).toBe(
			'p@x.example',
		);
	});

	it('finds none in a list without headings, nor for a company that is not listed', () => {
		const [row] = rowsOf(['99000001', 'jd@x.example'], ['99000002', 'jd@x.example']);
		expect(row.number).toBe('99000001');
		expect(listedEmail(row)).toBeNull();
		expect(listedEmail({})).toBeNull();
	});

	it('reads the beginning of a long cell and of a wide row only', () => {
		const late = `${'x'.repeat(2000)} jd@x.example`;
		expect(listedEmail({ headings: ['Email'], cells: [late] })).toBeNull();
		const headings = [...Array<string>(1000).fill('Ref'), 'Email'];
		const cells = [...Array<string>(1000).fill('1'), 'jd@x.example'];
		expect(listedEmail({ headings, cells })).toBeNull();
	});
});

describe('emailColumn', () => {
	const HEADINGS = ['Company number', 'Company name', 'email', 'Partner E-mail'];

	it('names the column, its addresses and the first of them, each company once', () => {
		const rows = rowsOf(
			HEADINGS,
			['99000001', 'One', '', ''],
			['99000002', 'Two', 'two@x.example', ''],
			['99000002', 'Two again', 'again@x.example', ''],
			['sole trader', 'Three', 'three@x.example', ''],
			['99000004', 'Four', 'four@x.example', 'partner@x.example'],
		);
		expect(emailColumn(rows)).toEqual({ column: 'email', count: 2, first: 'two@x.example' });
	});

	it('names all columns from which addresses come', () => {
		const rows = rowsOf(
			HEADINGS,
			['99000001', 'One', '', 'partner@x.example'],
			['99000002', 'Two', 'two@x.example', ''],
		);
		expect(emailColumn(rows)).toEqual({
			column: 'Partner E-mail or email',
			count: 2,
			first: 'partner@x.example',
		});
	});

	it('is undefined where no company has an address', () => {
		expect(emailColumn(rowsOf(HEADINGS, ['99000001', 'One', 'none', '']))).toBeUndefined();
		expect(emailColumn(rowsOf(['99000001'], ['99000002']))).toBeUndefined();
	});
});
