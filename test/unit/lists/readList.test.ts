// What a list of companies is read as, whether pasted or as items: never a company that is not meant.
import fc from 'fast-check';

import {
	readListItems,
	readListText,
	type List,
} from '../../../nodes/CompanyRegistry/lists/readList';
import {
	describeUnreadable,
	unreadableProblem,
	whichColumn,
} from '../../../nodes/CompanyRegistry/lists/words';

/** Each company with its name, what is told of the others, or what is asked. */
function outcomeOf(list: List): string[] {
	if ('candidates' in list) return [`which? ${list.candidates.join(', ')}`];
	const companies = list.listed.flatMap(({ number, name }) =>
		number ? [`${number} ${name}`] : [],
	);
	return [...companies, ...describeUnreadable(list.listed)];
}
const read = (text: string) => outcomeOf(readListText(text));
const many = (count: number, row: (place: number) => string) =>
	Array.from({ length: count }, (_, index) => row(index + 1));

describe('strangers are not watched', () => {
	it('in client references, where fewer than half of the clients have a number', () => {
		const numberOf = (one: number) => (one < 4 ? 445_790 + one : '');
		const clients = many(9, (one) => `${1000 + one}\tClient ${one}\t${numberOf(one)}`);
		expect(read(['Ref\tClient\tCo Reg No', ...clients].join('\n')).slice(0, 4)).toEqual([
			'00445791 Client 1',
			'00445792 Client 2',
			'00445793 Client 3',
			'row 5 (empty)',
		]);
		expect(read(clients.join('\n'))).toEqual(['which? column 1, column 3']);
	});

	it('in client ids, where one third of the column of numbers is filled', () => {
		const numberOf = (one: number) => (one % 3 ? '' : 500_000 + one);
		const clients = many(300, (one) => `${10_000 + one}\tClient ${one}\t${numberOf(one)}`);
		const outcome = read(['Client ID\tClient\tCompanies House no', ...clients].join('\r\n'));
		expect(outcome.filter((one) => one.startsWith('row'))).toHaveLength(200);
		expect(outcome.slice(0, 2)).toEqual(['00500003 Client 3', '00500006 Client 6']);
	});

	it('in a practice with references, year ends, an empty row, a sole trader and a total', () => {
		const rows = [
			'Client ref\tClient name\tCompany No.\tYear end\tPartner',
			'T001\tTessellate Stores plc\t99000001\t31/12/2025\tJane Doe',
			' \t\t\t\t ',
			'E002\tEuler Instruments Ltd\t99718281\t31/03/2026\tJane Doe',
			'J003\tJo Bloggs\tsole trader\t05/04/2026\tJo Bloggs',
			'Total\t\t2\t\t ',
		];
		expect(read(rows.map((row) => `${row}\r\n`).join(''))).toEqual([
			...['99000001 Tessellate Stores plc', '99718281 Euler Instruments Ltd'],
			...['row 5 ("sole trader")', 'row 6 ("2" may be a total)'],
		]);
	});

	it.each<[string, string[]]>([
		// An address of two lines, before another column of numbers.
		['445790\t"1 High Street\nLeeds"\t500\tAcme Ltd', ['00445790 null']],
		['Company number\tAddress\tFee\n445790\t"1 High Street\n500 Leeds"\t1500', ['00445790 null']],
		// What a bare Number counts.
		['Number\tClient\tCo No\n1\tAcme\t445790\n2\tBen\tSC1234', ['00445790 Acme', 'SC001234 Ben']],
		['Number\tStreet\tCompany\n12\tHigh St\tAcme\n3\tLow St\tBen', ['which? ']],
		['Number\tClient\n1001\tAcme\n1002\tBen', ['which? "Number"']],
		['Account\tClient\n12345678\tAcme', ['which? "Account"']],
		// Headings of a second page.
		[
			'445790\tAcme\nCompany number\tClient\n445791\tBen',
			['00445790 Acme', '00445791 Ben', 'row 2 ("Company number")'],
		],
		// A count in the row of the total.
		['Co No\tClient\n445790\tAcme\n301\tTotal', ['00445790 Acme', 'row 3 ("301" may be a total)']],
		[
			'Co No\tClient\n445790\tAcme\n1301\tTotal clients:',
			['00445790 Acme', 'row 3 ("1301" may be a total)'],
		],
		[
			'Co No\tClient\n445790\tAcme\n1301\t',
			['00445790 Acme', 'row 3 ("1301" may be a count or a year)'],
		],
		[
			'445790\tAcme\n445791\tBen\n2\t',
			['00445790 Acme', '00445791 Ben', 'row 3 ("2" may be a count or a year)'],
		],
		// A line beside a table.
		['445790\tAcme\n2024', ['00445790 Acme', 'row 2 ("2024" may be a count or a year)']],
		['300\n445790\tAcme', ['00445790 Acme', 'row 1 ("300" may be a count or a year)']],
		['Client list 2024\nCo No\tClient\n445790\tAcme', ['00445790 Acme']],
		['Clients\t\t\nRef\tClient\tCo No\n12\tAcme\t445790', ['00445790 Acme']],
		// What could be written as some countries write 445,000.
		['Co No\tClient\n445.000\tAcme\n9.90E+07\tBen', ['row 2 ("445.000")', 'row 3 ("9.90E+07")']],
		['445.000', ['"445.000" (number 1)']],
		// Words.
		['Co No\tClient\nBARCLAYS\tAcme', ['row 2 ("BARCLAYS")']],
		['445790\tOVERSEAS\nSC1234\tHOLDINGS', ['00445790 OVERSEAS', 'SC001234 HOLDINGS']],
		['OVERSEAS, HOLDINGS', ['"OVERSEAS" (number 1)', '"HOLDINGS" (number 2)']],
		// No number, and one too many.
		['Client\tCo No\nA\tN/A\nB\t-', ['row 2 ("N/A")', 'row 3 ("-")']],
		['Client\tCo No\nA\t445790 / 445791', ['row 2 ("445790 / 445791")']],
		// A row in which a name without quotes has a comma.
		[
			'Name,Fee,Co No\n"Smith, Jones",500,445790\nSmith, Jones,1500,445791',
			['00445790 Smith, Jones', 'row 3 (more cells than headings)'],
		],
		// Two slips of the pen are no names.
		[
			'445790, SC123X\n445791, SC124X',
			['00445790 null', '00445791 null', '"SC123X" (number 2)', '"SC124X" (number 4)'],
		],
		// What is known to be something else.
		...['Charity no', 'Bank account', 'Client ID', 'Customer No.', 'Turnover', 'Job no', 'DOB'].map(
			(heading): [string, string[]] => [
				`${heading}\tClient\n1234567\tAcme`,
				[`which? "${heading}"`],
			],
		),
		['Code\tClient\nSM0012\tSmith Ltd\nJO0003\tJones Ltd', ['which? "Code"']],
		// What stands under a heading that is no name is none, nor is the heading.
		['Company\tFee\n445790\t500', ['00445790 null']],
		['Registration\tClient\nto follow\tAcme', ['row 2 ("to follow")']],
		['Name,Co No\nSmith, Jones,445791,', ['row 2 (more cells than headings)']],
		// A birthday is not told.
		['Client\tDate of birth\nJane Doe\t01/02/1980', ['which? ']],
		// A title with a year or a date as a spreadsheet counts it.
		['Portfolio\t2024\nCompany number\tName\n445790\tAcme', ['00445790 Acme']],
		['As at\t45291\nCompany number\tName\n445790\tAcme', ['00445790 Acme']],
		// A second table below the first, headings that nothing is known of, and none.
		[
			'Client\tCo No\nAcme\t445790\n\t\nFormer client\tCo No\nBen\t445791',
			['00445790 Acme', '00445791 Ben', 'row 4 ("Co No")'],
		],
		['Wer\tIdent\nAcme\t445790', ['00445790 Acme', 'row 1 ("Ident")']],
		['1\tAcme\t445790\n2\tBen\t445791', ['00445790 Acme', '00445791 Ben']],
		['Client\tId\tSince\nAcme\t445790\t2019', ['which? "Id", "Since"']],
		// Who is not the company.
		['Company,Name,Email,Company number\nAcme,Jane Doe,j@x.uk,445790', ['00445790 Acme']],
		['Client name\tCompany\tCRN\nJane Doe\tAcme\t445790', ['00445790 Acme']],
		['Previous name\tAccountant name\tCRN\nOld\tJane\t445790', ['00445790 null']],
		// Where the heading is silent, a reference of few digits could be meant.
		['Client ID\tClient\n10001\tAcme\n10002\tBen', ['which? "Client ID"']],
		['Ref\tClient\tId at CH\n104233\tAcme\t445790', ['which? "Ref", "Id at CH"']],
		['VAT reg no\tCH code\tClient\n445790\t123456\tAcme', ['which? "VAT reg no", "CH code"']],
		['Company ref\tClient no\tClient\n445790\t123456\tAcme', ['which? "Company ref", "Client no"']],
	])('%j', (text, outcome) => {
		expect(read(text)).toEqual(outcome);
	});
});

describe('no client is lost', () => {
	it('each of a list is found again by its line', () => {
		const list = readListText('445790, 445791\n\n445792');
		expect('listed' in list && list.listed.map(({ row }) => row)).toEqual([1, 1, 3]);
	});

	it.each<[string, string[]]>([
		['445790\tClient 1\nSC1234\tClient 2', ['00445790 Client 1', 'SC001234 Client 2']],
		['Company number\n445790\nSC1234', ['00445790 null', 'SC001234 null']],
		['\uFEFFCompany number\r\n445790\r\n\r\nSC1234\r\n', ['00445790 null', 'SC001234 null']],
		['"Company\nnumber"\t"Client\nname"\n445790\tAcme', ['00445790 Acme']],
		['Company number,Name\n445790,"Smith, Jones & Co"', ['00445790 Smith, Jones & Co']],
		['Name;Company number;Fee\nAcme;445790;1.234,50', ['00445790 Acme']],
		['Company number,Company\n445790,Acme', ['00445790 Acme']],
		['Company,Company number\nAcme,445790', ['00445790 Acme']],
		['"Client";"Company No"\n"Acme";445790', ['00445790 Acme']],
		['Company No, UK\n445790', ['00445790 null']],
		['Name,Co No\nAcme  Ltd,445790,,', ['00445790 Acme Ltd']],
		['445790\tAcme\n00445791 00445792', ['00445790 Acme', '00445791 null', '00445792 null']],
		['Company no.\tClient\n00000006\tOldest\n1001\tOld', ['00000006 Oldest', '00001001 Old']],
		// As programs copy and save it.
		['Co. no.\tClient\n445,790\tAcme\n445791.00\tBen', ['00445790 Acme', '00445791 Ben']],
		['CRN,Name\n"=""00445790""",Acme\n="445791",Ben', ['00445790 Acme', '00445791 Ben']],
		['Co no\tClient\n445790\t"Old" Mill', ['00445790 "Old" Mill']],
		['Co no, Name\n445790, "Acme, plc"', ['00445790 Acme, plc']],
		['445790,Acme\n445791,Ben\n', ['00445790 Acme', '00445791 Ben']],
		['Name,CRN\rAcme,445790\rBen,445791', ['00445790 Acme', '00445791 Ben']],
		['\u200ECo no\tName\n\u200B445790\u00A0\t\u00A0Acme', ['00445790 Acme']],
		['445790, 445791; SC1234', ['00445790 null', '00445791 null', 'SC001234 null']],
	])('%j', (text, outcome) => {
		expect(read(text)).toEqual(outcome);
	});

	it.each([
		...['Company number', 'Company no', 'Registration number', 'Reg no', 'Co reg no', 'CRN'],
		...['Companies House number', 'Company reg', 'COMPANY_NO.', 'companyNumber', 'Company #'],
		...['Co. No.', 'Reg. No.', 'CH number', 'Registered number', 'Client company no'],
		...[
			'Company Registration Number (CRN)',
			'Business registration number',
			'Companies House\nReg. Nr',
		],
	])('under %j, whatever stands in other columns', (heading) => {
		const text = `Ref\t"${heading}"\tFee\n445001\t445790\t445002`;
		expect(read(text)).toEqual(['00445790 null']);
	});

	it.each([
		...['Number', 'No.', 'Ref', 'Client number', 'Customer no', 'VAT registration number'],
		...['Company ref', 'Company ID', 'Companies House code', 'Account number', 'Company number 2'],
	])('and %j is no such heading', (heading) => {
		expect(read(`Ref\t${heading}\n445001\t445790`)).toEqual([`which? "Ref", "${heading}"`]);
	});

	it('where two headings say so: the clearest, else the one with numbers, else it asks', () => {
		expect(read('Reg no\tCompany number\n445001\t445790')).toEqual(['00445790 null']);
		expect(read('Reg no\tCo no\n\t445790')).toEqual(['00445790 null']);
		expect(read('Reg no\tCo no\n445001\t445790')).toEqual(['which? "Reg no", "Co no"']);
	});
});

describe('a name', () => {
	it.each<[string, string | null]>([
		['Company number\tAccount owner\tState\tPostcode\n445790\tJane Doe\tActive\tLS1 4DY', null],
		['445790\tJane Doe\tActive', null],
		['445790\tAcme\t31/12/2024', 'Acme'],
		['Co no\tContact name\tClient\n445790\tJane Doe\tAcme', 'Acme'],
		['Co no\tContact name\n445790\tJane Doe', null],
		['Co no\tClient\tLegal name\n445790\tAcme\tAcme Ltd', 'Acme Ltd'],
		['Co no\tTrading as (name)\n445790\tAcme', 'Acme'],
		['Co no\tClient\n445790\t"The ""Old""\nMill"', 'The "Old" Mill'],
		['Co no\tClient\n445790\t ', null],
	])('in %j is %j', (text, name) => {
		expect(read(text)).toEqual([`00445790 ${name}`]);
	});
});

describe('items', () => {
	it('are read as rows, without what n8n adds to them, and counted as the spreadsheet does', () => {
		const added = { id: 100_001, createdAt: '2026-11-23', updatedAt: 445_791 };
		const list = readListItems([
			{ ...added, row_number: 2, ref: 'A', 'co id': 445_790, name: 'Acme' },
			{ ...added, row_number: 3, ref: '', 'co id': null, name: '' },
			{ ...added, row_number: 9, ref: 'B', 'co id': 'none', name: 'Ben' },
		]);
		expect(outcomeOf(list)).toEqual(['00445790 Acme', 'row 9 ("none")']);
	});

	it('without a row of their own begin below the headings', () => {
		const items = [{ crn: '445790' }, { crn: '' }, { crn: true }, { other: {} }];
		expect(outcomeOf(readListItems(items))).toEqual([
			'00445790 null',
			'row 4 (true)',
			'row 5 (empty)',
		]);
	});

	it('have headings, known or not, also below a title', () => {
		// An empty table where n8n always gives an item.
		expect(readListItems([{}])).toEqual({ listed: [] });
		expect(outcomeOf(readListItems([{ Nr: 445790, Wer: 'Acme' }]))).toEqual(['00445790 null']);
		const titled = [
			{ 'Clients 2024': 'Client', __EMPTY: 'Co. No.' },
			{ 'Clients 2024': 'Acme', __EMPTY: 445790 },
		];
		expect(outcomeOf(readListItems(titled))).toEqual(['00445790 Acme']);
	});
});

it('of any table under a clear heading, just the numbers in that column are read, however it is written', () => {
	const cell = fc.constantFrom(
		...['', '1001', '445790', '2024', 'Acme, "Old" & Co', 'a\tb;c', 'x\ny', '"', 'Total'],
	);
	const number = fc.constantFrom('99000001', '99718281', 'SC990012', '', 'none', '00001001');
	const row = fc.tuple(cell, number, cell, cell);
	const separators = fc.constantFrom('\t', ',', ';');
	const lineEnds = fc.constantFrom('\n', '\r\n');
	fc.assert(
		fc.property(fc.array(row), separators, lineEnds, (rows, separator, lineEnd) => {
			const quoted = (text: string) =>
				/["\n\t,;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
			const text = [['Ref', 'Company number', 'Client', 'Fee'], ...rows]
				.map((cells) => cells.map(quoted).join(separator))
				.join(lineEnd);
			const list = readListText(text);
			const listed = 'listed' in list ? list.listed : [];
			const filled = rows.filter((cells) => cells.some((one) => one.trim() !== ''));
			expect(listed.map((one) => [one.number, one.name])).toEqual(
				filled.map(([, one, name]) => [
					/\d/.test(one) ? one : undefined,
					name.trim().replace(/\s+/g, ' ') || null,
				]),
			);
		}),
	);
});

describe('words', () => {
	it('ask which column', () => {
		const list = readListText('Ref\tCo ID\n445001\t445790');
		const question = whichColumn('candidates' in list ? list.candidates : [], 'do this');
		expect(question).toBe(
			`Which column holds the company numbers? Candidates: "Ref", "Co ID". Give it the heading 'Company number', or do this.`,
		);
	});

	it.each([
		[
			'Co no\tBorn\n445790\t1/2/1965\n\t1/2/1965',
			'Row 3, column "Co no": no company number. Enter',
		],
		['445790\tAcme\nnone\t1/2/1965', 'Row 2, column 1: "none" is not a company number. Enter'],
		[
			'Co no\n445790\n301',
			'Row 3, column "Co no": "301" may be a count or a year. Write all 8 digits',
		],
		[
			'Co no\tBorn\n\n445790\t1/2/1965\n\t1/2/1965\nnone\t1/2/1965',
			'2 of 3 rows have no company number that can be read in column "Co no": row 4 (empty), row 5 ("none"). Enter',
		],
	])('tell of %j by row and column, and never what else the row holds', (text, words) => {
		const list = readListText(text);
		const problem = 'listed' in list ? unreadableProblem(list.listed) : undefined;
		const told = `${problem?.message}. ${problem?.description}`;
		expect(told).toContain(words);
		expect(told).not.toContain('1965');
	});
});

describe('reading takes time in proportion to the text', () => {
	it('and 100 ms for 10,000 rows', () => {
		const address = '"1 High St\nLeeds"';
		const rows = many(10_000, (one) => `C${one}\tClient ${one}\t${500_000 + one}\t${address}`);
		const text = ['Ref\tClient\tCo no\tAddress', ...rows].join('\r\n');
		const times = many(5, () => '').map(() => {
			const { user } = process.cpuUsage();
			readListText(text);
			return (process.cpuUsage().user - user) / 1000;
		});
		expect(Math.min(...times)).toBeLessThan(100);
	});

	it.each([
		...['"', '""', '"a\t', '""a\t', '"""a\t', '"a""\t', '\t', ',', ' ', '\n', '1,', 'a"\t"', '1 '],
		...['Company number\t', 'Client\n', '\u200B', '.0', 'x 1\t'],
	])('whatever repeats in it: %j', (part) => {
		const { user } = process.cpuUsage();
		readListText(part.repeat(200_000 / part.length));
		expect(process.cpuUsage().user - user).toBeLessThan(2_000_000);
	});

	it('and never fails', () => {
		const part = fc.constantFrom(
			...['"', '\t', ',', ';', '\n', '\r', '445790', 'Co no', 'Acme', ' ', '1', '\uFEFF'],
		);
		fc.assert(fc.property(fc.array(part), (parts) => void read(parts.join(''))));
	});
});
