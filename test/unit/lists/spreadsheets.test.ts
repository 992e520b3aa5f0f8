// Forty lists of clients as people have them, as their programs copy or save them: tabs and CRLF from Excel,
// tabs and LF from LibreOffice and Google Sheets, commas or semicolons from files. All companies are made up.
import { readListText } from '../../../nodes/CompanyRegistry/lists/readList';
import { describeUnreadable } from '../../../nodes/CompanyRegistry/lists/words';

const A = '99000001 Tessellate Stores plc';
const B = '99718281 Euler Instruments Ltd';
const S = 'SC990012 Glen Orrin Ltd';
const numbersOf = (...companies: string[]) => companies.map((one) => `${one.slice(0, 8)} null`);
/** Cells of a row as Excel copies them. */
const excel = (...rows: string[]) =>
	rows.map((row) => `${row.replaceAll(' | ', '\t')}\r\n`).join('');
/** The same from LibreOffice or Google Sheets. */
const sheets = (...rows: string[]) => rows.join('\n').replaceAll(' | ', '\t');

const LISTS: Array<[string, string, string[]]> = [
	[
		'a practice: references, year ends, partners, an empty row, a sole trader and a total',
		excel(
			'Client ref | Client name | Company No. | Year end | Partner',
			'T001 | Tessellate Stores plc | 99000001 | 31/12/2025 | Jane Doe',
			' |  |  |  | ',
			'E002 | Euler Instruments Ltd | 99718281 | 31/03/2026 | Jane Doe',
			'J003 | Jo Bloggs | sole trader | 05/04/2026 | Jo Bloggs',
			'Total |  | 2 |  | ',
		),
		[A, B, 'row 5 ("sole trader")', 'row 6 ("2" may be a total)'],
	],
	[
		'numbers and names alone',
		excel('99000001 | Tessellate Stores plc', '99718281 | Euler Instruments Ltd'),
		[A, B],
	],
	[
		'names and numbers alone',
		sheets('Tessellate Stores plc | 99000001', 'Euler Instruments Ltd | 99718281'),
		[A, B],
	],
	[
		'lost zeros and prefixes',
		sheets(
			'Company number | Name',
			'990012 | Quill Ltd',
			'SC990012 | Glen Orrin Ltd',
			'sc 990012 | ',
		),
		['00990012 Quill Ltd', S, 'SC990012 null'],
	],
	[
		'numbers kept as text',
		excel("'99000001 | Tessellate Stores plc", '="99718281" | Euler Instruments Ltd'),
		[A, B],
	],
	[
		'thousands separators',
		sheets(
			'Co. no. | Client',
			'99,000,001 | Tessellate Stores plc',
			'99 718 281 | Euler Instruments Ltd',
		),
		[A, B],
	],
	[
		'numbers with decimals',
		sheets(
			'Co no | Client',
			'99000001.0 | Tessellate Stores plc',
			'99718281.00 | Euler Instruments Ltd',
		),
		[A, B],
	],
	[
		'numbers in scientific form',
		sheets(
			'Co no | Client',
			'9.90E+07 | Tessellate Stores plc',
			'99718281 | Euler Instruments Ltd',
		),
		[B, 'row 2 ("9.90E+07")'],
	],
	[
		'headings in two lines',
		'"Company\nnumber"\t"Client\nname"\n99000001\tTessellate Stores plc\n',
		[A],
	],
	[
		'addresses in several lines',
		'Client\tAddress\tReg. no.\n"Tessellate Stores plc"\t"1 High Street\nLeeds\nLS1 4DY"\t99000001\nEuler Instruments Ltd\t"99 Low Street"\t99718281',
		[A, B],
	],
	[
		'names with quotes and commas',
		excel(
			'Company number | Company name',
			'99000001 | "The ""Old"" Mill, Leeds"',
			'99718281 | "Old" Mill',
		),
		['99000001 The "Old" Mill, Leeds', '99718281 "Old" Mill'],
	],
	[
		'a title and a date above the headings',
		sheets(
			'Clients of the practice |  | ',
			'as at 1 November 2025 |  | ',
			' |  | ',
			'Ref | Client | Company number',
			'1 | Tessellate Stores plc | 99000001',
		),
		[A],
	],
	[
		'a row counter',
		sheets(
			'# | Name | Reg No',
			'1 | Tessellate Stores plc | 99000001',
			'2 | Euler Instruments Ltd | 99718281',
		),
		[A, B],
	],
	[
		'a row counter without headings',
		sheets('1 | Tessellate Stores plc | 99000001', '2 | Euler Instruments Ltd | 99718281'),
		[A, B],
	],
	[
		'house numbers and postcodes',
		sheets(
			'Company name | Number | Street | Postcode | CRN',
			'Tessellate Stores plc | 12 | High St | LS1 4DY | 99000001',
		),
		[A],
	],
	[
		'tax references',
		sheets(
			'Client | UTR | VAT no | PAYE ref | Company no',
			'Tessellate Stores plc | 1234567890 | GB123456789 | 123/AB456 | 99000001',
		),
		[A],
	],
	[
		'authentication codes',
		sheets('Client | CH code | Companies House no', 'Tessellate Stores plc | 123456 | 99000001'),
		[A],
	],
	[
		'account numbers, and headings that say too little',
		sheets('Client | Bank account | Company', 'Tessellate Stores plc | 12345678 | 99000001'),
		['which? "Bank account", "Company"'],
	],
	[
		'years',
		sheets('Client | Id | Since', 'Tessellate Stores plc | 99000001 | 2019'),
		['which? "Id", "Since"'],
	],
	[
		'fees in a clear table',
		sheets(
			'Client | Company number | 2024 | 2025',
			'Tessellate Stores plc | 99000001 | 1500 | 1,750',
		),
		[A],
	],
	[
		'one unclear column of numbers',
		sheets(
			'Client | Ident',
			'Tessellate Stores plc | 99000001',
			'Euler Instruments Ltd | 99718281',
		),
		[A, B],
	],
	[
		'headings that nothing is known of',
		sheets('Wer | Ident', 'Tessellate Stores plc | 99000001', 'Euler Instruments Ltd | 99718281'),
		[A, B, 'row 1 ("Ident")'],
	],
	[
		'people and states beside the numbers',
		sheets(
			'Company number | Manager | Status',
			'99000001 | Jane Doe | Active',
			'99718281 | John Roe | Dormant',
		),
		numbersOf(A, B),
	],
	[
		'people beside them without headings',
		sheets('99000001 | Tessellate Stores plc | Jane Doe'),
		numbersOf(A),
	],
	[
		'contacts beside names',
		sheets(
			'Contact name | Company name | Company number',
			'Jane Doe | Tessellate Stores plc | 99000001',
		),
		[A],
	],
	[
		'charities and partnerships',
		sheets(
			'Client | Company number',
			'Tessellate Stores plc | 99000001',
			'A charity | N/A',
			'Roe & Doe LLP | OC990001',
			'A trust | -',
		),
		[A, 'OC990001 Roe & Doe LLP', 'row 3 ("N/A")', 'row 5 ("-")'],
	],
	[
		'two numbers in a cell',
		sheets(
			'Client | Company number',
			'Group | 99000001 / 99718281',
			'Euler Instruments Ltd | 99718281',
		),
		[B, 'row 2 ("99000001 / 99718281")'],
	],
	[
		'a count below the table',
		sheets('Client | Company number', 'Tessellate Stores plc | 99000001', ' | 1'),
		[A, 'row 3 ("1" may be a count or a year)'],
	],
	[
		'a second table below the first',
		sheets(
			'Client | Company number',
			'Tessellate Stores plc | 99000001',
			' | ',
			'Former client | Company number',
			'Euler Instruments Ltd | 99718281',
		),
		[A, B, 'row 4 ("Company number")'],
	],
	[
		'the column of numbers alone',
		'Company number\r\n99000001\r\n\r\n99718281\r\n',
		numbersOf(A, B),
	],
	['the same without heading', '99000001\r\n99718281\r\n', numbersOf(A, B)],
	[
		'the same with quotes, as a database exports it',
		'"company_number"\n"99000001"\n"99718281"',
		numbersOf(A, B),
	],
	[
		'a file with commas',
		'Company Name,Company Number,Address\r\n"Tessellate Stores, plc",99000001,"1 High St, Leeds"\r\n',
		['99000001 Tessellate Stores, plc'],
	],
	[
		'a file with semicolons and commas',
		'\uFEFFName;Company No;Fee\r\nTessellate Stores plc;99000001;1.234,50\r\n',
		[A],
	],
	[
		'a file with spaces after its commas',
		'Company number, Name\n99000001, "Tessellate Stores, plc"',
		['99000001 Tessellate Stores, plc'],
	],
	[
		'a file without headings',
		'99000001,Tessellate Stores plc\n99718281,Euler Instruments Ltd\n',
		[A, B],
	],
	[
		'a file of an old Mac',
		'Name,CRN\rTessellate Stores plc,99000001\rEuler Instruments Ltd,99718281',
		[A, B],
	],
	[
		'a formula in a file',
		'CRN,Name\n"=""99000001""",Tessellate Stores plc\n="99718281",Euler Instruments Ltd',
		[A, B],
	],
	[
		'marks that nobody sees',
		sheets(
			'\u200ECompany number | Name',
			'\u200B99000001\u00A0 | Tessellate Stores plc',
			'\u202A99718281\u202C | \u00A0Euler Instruments Ltd',
		),
		[A, B],
	],
	[
		'a list typed by hand',
		'99000001, 99718281; SC990012\nOC990001',
		[...numbersOf(A, B, S), 'OC990001 null'],
	],
];

it.each(LISTS)('%s', (_what, text, outcome) => {
	const list = readListText(text);
	const told =
		'candidates' in list
			? [`which? ${list.candidates.join(', ')}`]
			: [
					...list.listed.flatMap(({ number, name }) => (number ? [`${number} ${name}`] : [])),
					...describeUnreadable(list.listed),
				];
	expect(told).toEqual(outcome);
});

it('are forty', () => {
	expect(LISTS).toHaveLength(40);
});
