// What a list of companies is read as, whether pasted or as items: never a company that is not meant.
import fc from 'fast-check';

import {
	readListItems,
	readListText,
	type List,
} from '../../../nodes/CompanyRegistry/lists/readList';
import { columnsOf } from '../../../nodes/CompanyRegistry/lists/storedList';
import {
	describeUnreadable,
	unreadableProblem,
	unreadableRows,
	whichColumn,
} from '../../../nodes/CompanyRegistry/lists/words';

/** Each company with its name, what is told of the others, or what is asked. */
function outcomeOf(list: List): string[] {
	if ('candidates' in list) {
		const { candidates, otherTable } = list;
		return [`which? ${otherTable ? `a table in row ${otherTable}` : candidates.join(', ')}`.trim()];
	}
	const companies = list.listed.flatMap(({ number, name }) =>
		number ? [`${number} ${name}`] : [],
	);
	return [...companies, ...unreadableRows(list.listed).map(({ words }) => words)];
}
const read = (text: string) => outcomeOf(readListText(text));
const many = (count: number, row: (place: number) => string) =>
	Array.from({ length: count }, (_, index) => row(index + 1));

describe('under a heading that says so', () => {
	it.each<[string, string[]]>([
		['Company number\n445790\nSC1234', ['00445790 null', 'SC001234 null']],
		['\uFEFFCompany number\r\n445790\r\n\r\nSC1234\r\n', ['00445790 null', 'SC001234 null']],
		[
			'Ref\tClient\tCo Reg No\n100001\tAcme\t445790\n100002\tBen\tsole trader\n100003\tCat\t',
			['00445790 Acme', 'row 3 ("sole trader", Ben)', 'row 4 (empty, Cat)'],
		],
		['FRN\tFirm\tCompanies House no\n759676\tAcme\t445790', ['00445790 Acme']],
		[
			'Name\tReg no\nCharity Cars Ltd\t445790\nBen\t445791',
			['00445790 Charity Cars Ltd', '00445791 Ben'],
		],
		['Name\tRegistered number\nAcme\t445790', ['00445790 Acme']],
		['Company number;Name;Emails\n445790;Smith, Jones;a@x.uk, b@x.uk', ['00445790 Smith, Jones']],
		['No.\tCompany name\n445790\tAcme\n445791\tBen', ['00445790 Acme', '00445791 Ben']],
		['CRN,Name\n"=""00445790""",Acme\n="445791",Ben', ['00445790 Acme', '00445791 Ben']],
		['Name;Company number;Fee\nAcme;445790;1.234,50', ['00445790 Acme']],
		['Company number,Name\n445790,"Smith, Jones & Co"', ['00445790 Smith, Jones & Co']],
		['Name,Co No,,\nAcme,445790,,', ['00445790 Acme']],
		['Name,CRN\rAcme,445790\rBen,445791', ['00445790 Acme', '00445791 Ben']],
		['"Company\nnumber"\t"Client\nname"\n445790\t"The ""Old""\nMill"', ['00445790 The "Old" Mill']],
		['Company numbers\nClient code\tClient\tCompany no\n100123\tAcme\t445790', ['00445790 Acme']],
		[
			'Clients\t2024\t\nExported\t20241124\t\nRef\tClient\tCo No\n100123\tAcme\t445790',
			['00445790 Acme'],
		],
		[
			'Company\t\tContact\t\nName\tCompany no\tName\tEmail\nAcme\t445790\tJane\tj@x.uk',
			['00445790 Acme'],
		],
		['Company number\tClient\tParent company number\n445790\tAcme\t999999', ['00445790 Acme']],
		['Co no\tSort code\tAccount no\n445790\t123456\t12345678', ['00445790 null']],
		// As a table, and not as lines that would be cut.
		['"Company\nnumber"\n445790\n445791', ['00445790 null', '00445791 null']],
		[
			'Clients, as of today, all\nBy Smith, Jones LLP\nName\tCo no\nAcme, Ltd\t445790',
			['00445790 Acme, Ltd'],
		],
		['\u200ECo no\tName\n\u200B445790\u00A0\t\u00A0Acme', ['00445790 Acme']],
	])('%j', (text, outcome) => {
		expect(read(text)).toEqual(outcome);
	});
});

describe('under a heading that says something else, or nothing', () => {
	it.each<[string, string[]]>([
		['Firm name\tFRN\nBarclays\t759676', ['which? "FRN"']],
		['Firm,Licence\nBarclays,759676\nHSBC,114216', ['which? "Licence"']],
		['FRN\n759676\n114216', ['which? "FRN"']],
		['Tel\n01234567', ['which? "Tel"']],
		['Ref\n1001\n1002', ['which?']],
		['Client ref,FRN\n,1001\n,1001', ['which?']],
		['Client\tHeadcount\nAcme\t125000', ['which? "Headcount"']],
		['Matter\tClient\tCH ref\n100123\tAcme\t445790', ['which? "Matter", "CH ref"']],
		['Charity\tReg No\nHelp\t1234567', ['which? "Reg No"']],
		['Charity name\tRegistered number\nHelp\t1234567', ['which? "Registered number"']],
		[
			'FCA register\t\nFirm\tRegistration number\nBarclays\t759676',
			['which? "Registration number"'],
		],
		[
			'Company\t\tCharity\t\nName\tNumber\tName\tNumber\nAcme\t445790\tHelp\t1234567',
			['which? "Number"'],
		],
		['Reg no\tPolicy\n445001\t445790', ['which? "Reg no", "Policy"']],
		['Number\tClient\n1001\tAcme\n1002\tBen', ['which?']],
		['Company number\tCRN\n445001\t445790', ['which? "Company number", "CRN"']],
		['Company numbers\nRef\tClient\tCo ID\n445001\tAcme\t445790', ['which? "Ref", "Co ID"']],
		['Name\tParent company number\nAcme\t445790', ['which? "Parent company number"']],
		['Client\tDate of birth\nJane Doe\t01/02/1980', ['which?']],
		['Jo Bloggs\tsole trader\nAcme\t445790', ['which? "sole trader"']],
		['Number, Company\n445790, 445791', ['which? "Number", "Company"']],
		['Reg no;Company\n445790;445791', ['which? "Reg no", "Company"']],
		['Clients;2024\n445790;445002', ['which? "Clients", column 2']],
		['Fees of 2023;Email;Fees of 2024\n445790;445002', ['which? "Fees of 2023", "Email"']],
		['Number\n445791, 445790', ['which? "Number", column 2']],
		['Name\tReg no\tType\nHelp\t1234567\tRegistered charity', ['which? "Reg no"']],
		['Name\tRegistered number\tRegulator\nBarclays\t759676\tFCA', ['which? "Registered number"']],
		['Name\tReg no\nBarclays\t759676\nSource: FCA register', ['which? "Reg no"']],
		['Name,Registration number\nAcme,ZA123456\nBen,Z1234567', ['which? "Registration number"']],
		['Report\t445001\nClient\tCo no\nAcme\t445790', ['which? a table in row 2']],
		['Company No./Charity No.\tName\n445790\tAcme', ['which? "Company No./Charity No."']],
	])('%j', (text, outcome) => {
		expect(read(text)).toEqual(outcome);
	});
});

describe('in a table without headings', () => {
	it.each<[string, string[]]>([
		['445790\tAcme\nSC1234\tBen', ['00445790 Acme', 'SC001234 Ben']],
		['445790,Acme\n445791,Ben\n', ['00445790 Acme', '00445791 Ben']],
		['1\tAcme\t445790\t31/12/2024\n2\tBen\t445791\t20241231', ['00445790 Acme', '00445791 Ben']],
		['445790\tAcme\tJane\n445791\tBen\tJoe', ['00445790 null', '00445791 null']],
		[
			'445790\t"1 High Street\nLeeds"\t500\n445791\tYork\t600',
			['00445790 1 High Street Leeds', '00445791 York'],
		],
		['445790\tAcme\nnone\tBen', ['00445790 Acme', 'row 2 ("none", Ben)']],
		['445790\tAcme', ['00445790 Acme']],
		['445790\t\t445001', ['which? column 1, column 3']],
		['C100123\tAcme\t445790\nC100124\tBen\t445791', ['00445790 Acme', '00445791 Ben']],
		['Acme Ltd, 445790\nBen, 445791', ['00445790 Acme Ltd', '00445791 Ben']],
		['445790;Acme;a@x.uk\n445791;;b@x.uk', ['00445790 null', '00445791 null']],
		['100001\tAcme\t445790\n100002\tBen\t', ['which? column 1, column 3']],
		['445001\t445790\n445002\t445791', ['which? column 1, column 2']],
		['445001,445790\n445002,445791', ['which? column 1, column 2']],
		['1001\tAcme\n1002\tBen', ['which?']],
		['Acme\t31122024\nBen\t30062024', ['which?']],
		['Acme\t45291\nBen\t45292', ['which?']],
		['Acme\t445790\nBen\t\nCat\t\nDan\t', ['which? column 2']],
	])('%j', (text, outcome) => {
		expect(read(text)).toEqual(outcome);
	});
});

describe('in a list', () => {
	it.each<[string, string[]]>([
		['445790, 445791; SC123456', ['00445790 null', '00445791 null', 'SC123456 null']],
		['"00445790","00445791"', ['00445790 null', '00445791 null']],
		['99000001, 99000002,\n99000003', ['99000001 null', '99000002 null', '99000003 null']],
		[
			'99000001, 99000002\n99000003, 99000004',
			['99000001 null', '99000002 null', '99000003 null', '99000004 null'],
		],
		['445,790\n1,234,567\n00 445 791', ['00445790 null', '01234567 null', '00445791 null']],
		['445790\n1234 5678', ['00445790 null', 'line 2 ("1234 5678")']],
		['445790\n01234 567890', ['00445790 null', 'line 2 ("01234 567890")']],
		[
			'445790\nSC 123456\nStudio 2000 Ltd',
			['00445790 null', 'SC123456 null', 'line 3 ("Studio 2000 Ltd")'],
		],
		['445790, SC123X\n445791, SC124X', ['line 1 ("445790, SC123X")', 'line 2 ("445791, SC124X")']],
		['445790\nCo. No. 00445791', ['00445790 null', 'line 2 ("Co. No. 00445791")']],
		['445790 / 445791', ['line 1 ("445790 / 445791")']],
		[
			'445790\n\n445791\n\n445792, 445793',
			['00445790 null', '00445791 null', '00445792 null', '00445793 null'],
		],
		['[445790, 445791]', ['line 1 ("[445790, 445791]")']],
		['OVERSEAS, HOLDINGS', ['line 1 ("OVERSEAS, HOLDINGS")']],
		['445.000', ['line 1 ("445.000")']],
		['1,445790\n2,445791', ['line 1 ("1,445790")', 'line 2 ("2,445791")']],
		['445790,\n445791,\n445792', ['00445790 null', '00445791 null', '00445792 null']],
	])('%j', (text, outcome) => {
		expect(read(text)).toEqual(outcome);
	});
});

describe('doubtful among others', () => {
	it.each<[string, string[]]>([
		['445790\n48839', ['00445790 null', 'line 2 ("48839" may be a count or a year)']],
		['445790\n48839\n48840', ['00445790 null', '00048839 null', '00048840 null']],
		['00048839\n445790', ['00048839 null', '00445790 null']],
		[
			'O0445790\n0044579O\nOC301234\nR0000521\nIP12345R',
			[
				'OC301234 null',
				'R0000521 null',
				'IP12345R null',
				'line 1 ("O0445790" has a letter among its digits)',
				'line 2 ("0044579O" has a letter among its digits)',
			],
		],
		[
			'2024\n445790\n445791\n1250',
			[
				'00445790 null',
				'00445791 null',
				'line 1 ("2024" may be a count or a year)',
				'line 4 ("1250" may be a count or a year)',
			],
		],
		[
			'445790\n445791\n445792\n3',
			['00445790 null', '00445791 null', '00445792 null', 'line 4 ("3" may be a count or a year)'],
		],
		['Count\n1250\n445790', ['which? "Count"']],
		[
			'445790\nTotal\n548288',
			['00445790 null', 'line 2 ("Total")', 'line 3 ("548288" may be a total or a date)'],
		],
		[
			'445790\tAcme\n548288\tGrand total',
			['00445790 Acme', 'row 2 ("548288" may be a total or a date, Grand total)'],
		],
		[
			'Name\tCompany number\nAcme\t445790\nTotal fees\t12345678\nNumber of clients:\t445999\nReport date\t31122024\nUpdated\t20241231',
			[
				'00445790 Acme',
				'row 3 ("12345678" may be a total or a date, Total fees)',
				'row 4 ("445999" may be a total or a date, Number of clients:)',
				'row 5 ("31122024" may be a total or a date, Report date)',
				'row 6 ("20241231" may be a total or a date, Updated)',
			],
		],
		[
			'Client\tCo no\nAcme\t445790\nClient count\t445999\nJane Total\t445998\nDate of report\t31122024\nPrepared by Jane on\t31122024\nExtracted:\t20241231',
			[
				'00445790 Acme',
				'row 3 ("445999" may be a total or a date, Client count)',
				'row 4 ("445998" may be a total or a date, Jane Total)',
				'row 5 ("31122024" may be a total or a date, Date of report)',
				'row 6 ("31122024" may be a total or a date, Prepared by Jane on)',
				'row 7 ("20241231" may be a total or a date, Extracted:)',
			],
		],
		[
			'Company number\tName\tNotes\n445790\tTotal Oil Ltd\tbalance due\n445791\tCount Music Limited\tupdated 1/2/2025',
			['00445790 Total Oil Ltd', '00445791 Count Music Limited'],
		],
		[
			'Company number\tName\n445790\tAcme Ltd\n00445790\tACME LIMITED\n445790\t',
			['00445790 Acme Ltd', '00445790 ACME LIMITED', '00445790 null'],
		],
		[
			'Company number\tName\n445790\tAcme Ltd\n445791\tCat\n445790\tBen Ltd',
			[
				'00445791 Cat',
				'row 2 ("445790" has another name in another row, Acme Ltd)',
				'row 4 ("445790" has another name in another row, Ben Ltd)',
			],
		],
		[
			'Name,Charity no,Company no,Note\nSmith, Jones Ltd,1234567,00102498,\n"Roe, Doe",,445790,',
			['00445790 Roe, Doe', 'row 2 ("1234567" in a row that is longer than the headings, Smith)'],
		],
		[
			'Company number\n445790,100123\n445791,100124',
			[
				'row 2 ("445790" in a row that is longer than the headings)',
				'row 3 ("445791" in a row that is longer than the headings)',
			],
		],
		[
			'Company number\tName\n445790\tAcme\n445790\tBen\n445790\t',
			[
				'row 2 ("445790" has another name in another row, Acme)',
				'row 3 ("445790" has another name in another row, Ben)',
				'row 4 ("445790" has another name in another row)',
			],
		],
		// Where no heading tells which column has the names.
		[
			'Borrower\tCo no\tPartner\nAcme Ltd\t445790\tJane\nBen Ltd\t445790\tJane\nACME LIMITED\t445791\t\nAcme Ltd\t445791\t',
			[
				'00445791 null',
				'00445791 null',
				'row 2 ("445790" has another name in another row)',
				'row 3 ("445790" has another name in another row)',
			],
		],
		[
			'445790\tJane\tAcme Ltd\n445790\tJoe\tBen LLP',
			[
				'row 1 ("445790" has another name in another row)',
				'row 2 ("445790" has another name in another row)',
			],
		],
		['Co no\tContact\n445790\tJane\n445790\tJoe', ['00445790 null', '00445790 null']],
		...[
			['Foo L.L.P.', 'Foo LLP'],
			['Café Ltd', 'Cafe Limited'],
			['Foo Community Interest Company', 'Foo CIC'],
		].map(([one, other]): [string, string[]] => [
			`Co no\tName\n445790\t${one}\n445790\t${other}`,
			[`00445790 ${one}`, `00445790 ${other}`],
		]),
		[
			'Name,Charity no,Company no,,\nSmith, Jones Ltd,1234567,00102498,',
			['row 2 ("1234567" in a row that is longer than the headings, Smith)'],
		],
		[
			'Client\tCompany number\nAcme\t445790\n\nFirm\tFRN\nBarclays\t759676',
			['which? a table in row 4'],
		],
		['445790\n445791\n\nFRN\n759676', ['which? a table in row 4']],
		[
			'Client\tCo No\nAcme\t445790\n\nBank accounts\nPayee\tAccount\nCat\t12345678',
			['which? a table in row 5'],
		],
		[
			'Client\tCo No\nAcme\t445790\n\nTax clients\nBen\t445791',
			['00445790 Acme', '00445791 Ben', 'row 4 (empty, Tax clients)'],
		],
		[
			'Client\tCo No\nAcme\t445790\nFormer\tCo No\nBen\t445791',
			['00445790 Acme', '00445791 Ben', 'row 3 ("Co No", Former)'],
		],
	])('%j', (text, outcome) => {
		expect(read(text)).toEqual(outcome);
	});
});

describe('a heading', () => {
	it.each([
		...['Company number', 'Company no', 'Registered number', 'Co reg no', 'CRN', 'Company #'],
		...['Companies House number', 'Company reg', 'COMPANY_NO.', 'companyNumber', 'Co. No.'],
		...['CH number', 'Client company no', 'Company Registration Number (CRN)', 'UK company no.'],
		...['Company number (8 digits)', 'Companies House\nReg. Nr', 'Reg. no. (Companies House)'],
	])('%j says so, whatever stands in other columns', (heading) => {
		const text = `Ref\t"${heading}"\tFee\n445001\t445790\t445002`;
		expect(read(text)).toEqual(['00445790 null']);
	});

	it.each(['Reg no', 'Registration number', 'Business registration number', 'Number', 'No.'])(
		'%j says so where no other column could be it',
		(heading) => {
			expect(read(`Ref\t${heading}\n1001\t445790`)).toEqual(['00445790 null']);
			expect(read(`Ref\t${heading}\n445001\t445790`)).toEqual([`which? "Ref", "${heading}"`]);
		},
	);

	it.each([
		...['Ref', 'Client number', 'Customer no', 'VAT registration number', 'Company number 2'],
		...['Company ref', 'Company ID', 'Companies House code', 'Account number', 'Charity number'],
		...['FRN', 'ICO registration number', 'Licence', 'Sort code', 'Phone', 'Record ID', 'Turnover'],
		...['Previous company number', 'Company VAT no', 'Company phone no', 'CRO number', 'Staff'],
	])('%j says nothing of the kind', (heading) => {
		expect(read(`Client\t${heading}\nAcme\t445790`)).toEqual([`which? "${heading}"`]);
	});

	it.each<[string, string | null]>([
		['Co no\tAccount owner\tState\tPostcode\n445790\tJane Doe\tActive\tLS1 4DY', null],
		['Co no\tContact name\tClient\n445790\tJane Doe\tAcme', 'Acme'],
		['Co no\tContact name\n445790\tJane Doe', null],
		['Co no\tVendor\tVendor name\n445790\tV1\tAcme', 'Acme'],
		['Co no\tStatus\tClient\n445790\tReviewed\tAcme', 'Acme'],
		['Co no\tClient\tLegal name\n445790\tAcme\tAcme Ltd', 'Acme Ltd'],
		['Co no\tTrading as (name)\n445790\tAcme', 'Acme'],
		['Co no\tClient\n445790\t ', null],
	])('finds the name in %j: %j', (text, name) => {
		expect(read(text)).toEqual([`00445790 ${name}`]);
	});
});

describe('items', () => {
	it('are read as rows, without what n8n adds to them, and counted as the spreadsheet does', () => {
		const added = { id: 100_001, createdAt: '2026-11-23', updatedAt: 445_791 };
		const list = readListItems([
			{ ...added, row_number: 2, ref: 'A', 'co no': 445_790, name: 'Acme' },
			{ ...added, row_number: 3, ref: '', 'co no': null, name: '' },
			{ ...added, row_number: 9, ref: 'B', 'co no': 'none', name: 'Ben' },
		]);
		expect(outcomeOf(list)).toEqual(['00445790 Acme', 'row 9 ("none", Ben)']);
	});

	it.each<[Array<Record<string, unknown>>, string[]]>([
		[[{}], []],
		[
			[{ crn: '445790' }, { crn: '' }, { crn: true }, { other: {} }],
			['00445790 null', 'row 4 (true)', 'row 5 (empty)'],
		],
		[[{ Nr: 445790, Wer: 'Acme' }], ['00445790 null']],
		[[{ FRN: 759676, Firm: 'Acme' }], ['which? "FRN"']],
		[[{ '445790': 445791, Acme: 'Ben' }], ['which? column 1']],
		[
			[
				{ 'Company numbers': 'Ref', __EMPTY: 'Co. No.' },
				{ 'Company numbers': 100123, __EMPTY: 445790 },
			],
			['00445790 null'],
		],
		[[{ 'Co no': 445790, __EMPTY: 'see note' }], ['00445790 null']],
		// As n8n names the second of two.
		[[{ 'Co no': 445790, 'Co no_1': 445791 }], ['which? "Co no", "Co no_1"']],
	])('%j', (items, outcome) => {
		expect(outcomeOf(readListItems(items))).toEqual(outcome);
	});
});

describe('of any table as RFC 4180 has it', () => {
	const cell = fc.constantFrom(
		...['', '1001', '445790', '2024', 'Acme, "Old" & Co', 'a\tb;c', 'x\ny', '"', 'LS1 4DY', 'Oak'],
	);
	const number = fc.constantFrom('99000001', '99718281', 'SC990012', '', 'none', '00001001');
	const other = fc.constantFrom(
		'Ref',
		'FRN',
		'Email',
		'Tel',
		'Charity no',
		'A, "B"',
		'Licence\nno',
	);
	/** The column of numbers stands at its place among the other ones. */
	const table = fc
		.record({
			others: fc.uniqueArray(other, { minLength: 1, maxLength: 4 }),
			place: fc.nat(4),
			numbers: fc.array(number),
			cells: fc.infiniteStream(cell),
			separator: fc.constantFrom('\t', ',', ';'),
			lineEnd: fc.constantFrom('\n', '\r\n'),
		})
		.map(({ others, place, numbers, cells, separator, lineEnd }) => {
			const withNumber = (row: string[], one: string) => [
				...row.slice(0, place),
				one,
				...row.slice(place),
			];
			const rows = numbers.map((one) =>
				withNumber(
					others.map(() => cells.next().value),
					one,
				),
			);
			const quoted = (text: string) =>
				/["\n\t,;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
			const textUnder = (heading: string) =>
				[withNumber(others, heading), ...rows]
					.map((row) => row.map(quoted).join(separator))
					.join(lineEnd);
			const filled = rows.filter((row) => row.some((one) => one.trim() !== ''));
			return { textUnder, filled, at: Math.min(place, others.length) };
		});

	it('just the numbers under the heading that says so are read, with their rows', () => {
		fc.assert(
			fc.property(table, ({ textUnder, filled, at }) => {
				const list = readListText(textUnder('Company number'));
				// An empty row with nothing but words below it: another table may begin there.
				if ('candidates' in list) return expect(list.otherTable).toBeGreaterThan(2);
				expect(list.listed.map((one) => one.number)).toEqual(
					filled.map((row) => (/\d/.test(row[at]) ? row[at] : undefined)),
				);
				const rows = list.listed.map((one) => Object.values(columnsOf(one).columns ?? {}));
				expect(rows).toEqual(filled);
			}),
		);
	});

	it('no number is read where no heading says so', () => {
		fc.assert(
			fc.property(table, ({ textUnder }) => {
				const list = readListText(textUnder('Client ref'));
				const listed = 'listed' in list ? list.listed : [];
				expect(listed.filter((one) => one.number !== undefined)).toEqual([]);
			}),
		);
	});
});

describe('the columns of a row', () => {
	const columnsIn = (text: string) => {
		const list = readListText(text);
		return 'listed' in list ? list.listed.map((one) => columnsOf(one)) : [];
	};

	it('come by their headings, each of its own, and none without headings', () => {
		expect(columnsIn('Co no\tEmail\t\tEmail\n445790\tj@x.uk\t\tk@x.uk\n445791')).toEqual([
			{
				columns: { 'Co no': '445790', Email: 'j@x.uk', 'Email (column 4)': 'k@x.uk' },
				leftOut: [],
			},
			{ columns: { 'Co no': '445791', Email: '', 'Email (column 4)': '' }, leftOut: [] },
		]);
		expect(columnsIn('445790\tAcme')).toEqual([{ columns: null, leftOut: [] }]);
		expect(columnsIn('445790')).toEqual([{ columns: null, leftOut: [] }]);
	});

	it('are at most 30, and 4 KB', () => {
		const headings = many(40, (one) => `C${one}`).join('\t');
		const [{ columns, leftOut }] = columnsIn(`Co no\t${headings}\n445790`);
		expect(Object.keys(columns ?? {})).toHaveLength(30);
		expect(leftOut).toEqual(many(11, (one) => `C${one + 29}`));
		const long = 'é'.repeat(2100);
		expect(columnsIn(`Co no\tNotes\tEmail\n445790\t${long}\tj@x.uk`)).toEqual([
			{ columns: { 'Co no': '445790', Email: 'j@x.uk' }, leftOut: ['Notes'] },
		]);
	});
});

describe('words', () => {
	it.each([
		['Ref\tCo ID\n445001\t445790', 'It could be "Ref" or "Co ID". Write \'Company number\' above'],
		['Number\tClient\n1001\tAcme', 'None has anything that could be one. Write'],
		[
			'Co no\tClient\n445790\tAcme\n\nFirm\tFRN\n759676\tBen',
			'Another table seems to begin in row 4.',
		],
	])('ask which column in %j', (text, words) => {
		const list = readListText(text);
		const question = 'candidates' in list ? whichColumn(list) : undefined;
		expect(question?.message).toBe('Which column holds the company numbers?');
		expect(question?.description).toContain(words);
	});

	it.each([
		[
			'Co no\tBorn\n445790\t1/2/1965\n\t1/2/1965',
			'Row 3, column "Co no": no company number. Enter 8 letters',
		],
		[
			'445790\tAcme\nnone\tJane',
			'Row 2 (Jane), column 1: "none" is not a company number. Enter 8 letters',
		],
		['445790\n48839', 'Line 2: "48839" may be a count or a year. Write all 8 digits'],
		[
			'445790\n4.4579E+07',
			'Line 2: "4.4579E+07" is not a company number. Format the column as text',
		],
		[
			'445790\nhttps://find-and-update.company-information.service.gov.uk/company/sc123456/officers',
			'Write the number alone: SC123456.',
		],
		['445790\nCo. No. 00445791', 'Write the number alone: 00445791.'],
		[
			'Co no\tClient\tBorn\n\n445790\tAcme\t1/2/1965\n\tJo\t1/2/1965\nnone\tRoe\t1/2/1965\n9E+07\tDoe',
			'3 of 4 rows have no company number that can be read in column "Co no". Enter 8 letters and digits, for example 99000001 or SC990001. Leading zeros are optional. Format the column as text in the spreadsheet. They are: row 5 ("none", Roe), row 6 ("9E+07", Doe), row 4 (empty, Jo)',
		],
	])(
		'tell of %j by row, name and column, what to write, and never what else the row holds',
		(text, words) => {
			const list = readListText(text);
			const problem = 'listed' in list ? unreadableProblem(list.listed) : undefined;
			const told = `${problem?.message}. ${problem?.description} ${problem?.rows}`;
			expect(told).toContain(words);
			expect(told).not.toContain('1965');
		},
	);

	it('name up to 100 rows, those with something in them first, and empty ones as a count', () => {
		const rows = many(250, (one) => (one % 2 ? `\tClient ${one}` : `none ${one}00\tClient ${one}`));
		const list = readListText(['Co no\tClient', '445790\tAcme', ...rows].join('\n'));
		const unreadable = unreadableRows('listed' in list ? list.listed : []);
		expect(unreadable[0]).toEqual({
			row: 4,
			words: 'row 4 ("none 200", Client 2)',
			content: '"none 200", Client 2',
			mayBeNumber: true,
		});
		const words = '125 empty cells, the first in row 3';
		const last = { row: 3, words, content: '', mayBeNumber: false };
		expect(unreadable.slice(124)).toEqual([expect.anything(), last]);
		expect(describeUnreadable(unreadable)).toMatch(/"none 20000", Client 200\) and 26 more$/);
	});

	it.each<[string, boolean]>([
		['HRB 12345', true],
		['44579O', true],
		['445791\tBen\tnote', true],
		['n/a 12', false],
		['sole trader', false],
		['301\tTotal', false],
		['1,250\tTotal', false],
		['9920014\tTotal', true],
		['20261124\tUpdated', false],
		['24112026\tAs at', false],
	])('say of %j whether it may be a cell that went wrong: %j', (cell, mayBeNumber) => {
		const list = readListText(`Co no\tClient\n445790\tAcme\n${cell}`);
		expect(unreadableRows('listed' in list ? list.listed : [])).toEqual([
			expect.objectContaining({ row: 3, mayBeNumber }),
		]);
	});
});

describe('reading takes time in proportion to the text', () => {
	it.each([
		...['"', '""', '"a\t', '""a\t', '"""a\t', '"a""\t', '\t', ',', ' ', '\n', '1,', 'a"\t"', '1 '],
		...['Company number\t', 'Client\n', '\u200B', '.0', 'x 1\t', 'total ', 'total\n', '9E', '8'],
	])('whatever repeats in it: %j', (part) => {
		const { user } = process.cpuUsage();
		read(part.repeat(200_000 / part.length));
		expect(process.cpuUsage().user - user).toBeLessThan(2_000_000);
	});

	it('and never fails', () => {
		const part = fc.constantFrom(
			...['"', '\t', ',', ';', '\n', '\r', '445790', 'Co no', 'Acme', ' ', '1', '\uFEFF', 'Total'],
		);
		fc.assert(fc.property(fc.array(part), (parts) => void read(parts.join(''))));
	});
});
