// What a list of companies is read as, whether pasted or as items: never a company that is not meant.
import fc from 'fast-check';
import { map, mapValues, uniqBy } from 'lodash';
import { jsonParse } from 'n8n-workflow';

import type { List, ListRow } from '../../../nodes/CompanyRegistry/lists/list';
import { readListItems, readListText } from '../../../nodes/CompanyRegistry/lists/readList';
import { columnsOf, storedText } from '../../../nodes/CompanyRegistry/lists/storedList';
import { unreadableProblem, unreadableRows } from '../../../nodes/CompanyRegistry/lists/messages';

type Problem = NonNullable<ReturnType<typeof unreadableProblem>>;

/** Each company with its name, the words for each other row, or the question. */
function outcomeOf(list: List): string[] {
	if ('message' in list) {
		const columns = /could be in (.*?)\. /.exec(list.description)?.[1];
		return [columns ? `which? ${columns}` : list.message];
	}
	const named = list.listed.filter(({ number }) => number);
	const companies = named.map(({ number, name }) => (name ? `${number} ${name}` : `${number}`));
	return [...companies, ...unreadableRows(list.listed).map(({ words }) => words)];
}
const read = (text: string) => outcomeOf(readListText(text));
const rowsIn = (text: string): ListRow[] => {
	const list = readListText(text);
	return 'listed' in list ? list.listed : [];
};
function wordsFor(list: List): string {
	const { message, description, ...more } =
		'message' in list ? list : (unreadableProblem(list.listed) as Problem);
	return [message.replace(/\w"?$/, '$&.'), description, ...Object.values(more)].join(' ');
}
/** What is stored of a list is read again as the same companies, with names and columns. */
function expectStored(listed: ListRow[]): void {
	const columnsIn = (one: ListRow) => one.headings && mapValues(columnsOf(one), String);
	const partsOf = (one: ListRow) => [
		one.number,
		one.name,
		String(one.entry).trim(),
		columnsIn(one),
	];
	const readable = listed.filter(({ number }) => number);
	const again = rowsIn(storedText(readable).text);
	expect(again.map(partsOf)).toEqual(uniqBy(readable, 'number').map(partsOf));
}
const many = (count: number, row: (place: number) => string) =>
	Array.from({ length: count }, (_, index) => row(index + 1));

/** Text with escapes, or items in JSON, then an arrow, and what it is read as. */
const TABLE = String.raw`
# What public files hold: each of these was once refused, or read as someone else.
Company number\tClient\tAddress1\n99000001\tAlder Ltd\tMill Lane\n99000002\tBirch Ltd\tHigh Road\n → 99000001 Alder Ltd | 99000002 Birch Ltd
Company number\tLender\n99000001\tElm Bank plc\n99000001\tFir Finance Ltd\n99000002\tElm Bank plc\n → 99000001 | 99000001 | 99000002
Organisation Name,Supplier Name,Supplier Registered Company Number\nBorough of Exampleton,Alder Ltd,99000001\nBorough of Exampleton,Birch Ltd,99000002\n → 99000001 Alder Ltd | 99000002 Birch Ltd
ECRef,RegulatedEntityName,DonorName,CompanyRegistrationNumber\n1,Red Party,Alder Ltd,99000001\n2,Blue Party,Alder Ltd,99000001\n3,Red Party,Birch Ltd,99000002\n → 99000001 Alder Ltd | 99000001 Alder Ltd | 99000002 Birch Ltd
Alder Ltd,99000001\nBirch, Roe & Co Ltd,99000002\nCedar Ltd,99000003\nDogwood Ltd,99000004\n → which? column 2 or column 3
Client list March 2026\nClient,Companies House ref\nAlder Ltd,99000001\nBirch Ltd,99000002\n → which? column "Companies House ref"
Company\tCompany number\nAlder Group\t99000001 / 99000002\nBirch Ltd\t99000003\n → 99000003 Birch Ltd | row 2 ("99000001 / 99000002", Alder Group)
Association,Registration number\nAlder Homes,LH0001\nBirch Homes,LH0002\nCedar Homes,SL0003\n → which? column "Registration number"
Name,Registration number\nAlder,99000001\nBirch,99000002\nCedar,SL0003\nDogwood,LH000001 → which? column "Registration number"
Name,Company number\nAlder Ltd,99000001,\nBirch Ltd,99000002,\n → 99000001 Alder Ltd | 99000002 Birch Ltd
'445790',\n'445791', → 00445790 | 00445791
\uFFFD\uFFFDC\u0000o\u0000 → The text cannot be read
# Rule 1: a heading says company number.
Client\tCompany number\nCaf\uFFFD Alder\t99000001 → 99000001 Caf� Alder
\uFEFFCompany number\r\n445790\r\n\r\nSC1234\r\n → 00445790 | SC001234
Ref\tClient\tCo Reg No\n100001\tAcme\t445790\n100002\tBen\tsole trader\n100003\tCat\t → 00445790 Acme | row 3 ("sole trader", Ben) | row 4 (empty, Cat)
Company number;Name;Emails\n445790;Smith, Jones;a@x.uk, b@x.uk → 00445790 Smith, Jones
CRN,Name\n"=""00445790""",Acme\n="445791",Ben → 00445790 Acme | 00445791 Ben
Name,CRN\rAcme,445790\rBen,445791 → 00445790 Acme | 00445791 Ben
"Company\nnumber"\t"Client\nname"\n445790\t"The ""Old""\nMill" → 00445790 The "Old" Mill
Company numbers\nClient code\tClient\tCompany no\n100123\tAcme\t445790 → 00445790 Acme
Our company number\t99000099\nClient\tCo no\nAcme\t445790 → 00445790 Acme
Co no\tClient\t\nnone\tBen\tsee note\n445790\tAcme\t → 00445790 Acme | row 2 ("none", Ben)
Company\t\tContact\t\nName\tCompany no\tName\tEmail\nAcme\t445790\tJane\tj@x.uk → 00445790 Acme
Company number\tClient\tParent company number\n445790\tAcme\t999999 → 00445790 Acme
Clients, as of today, all\nBy Smith, Jones LLP\nName\tCo no\nAcme, Ltd\t445790 → 00445790 Acme, Ltd
Parent,CRN,Subsidiary,Subsidiary CRN\nElm plc,99000009,Alder Ltd,99000001\nElm plc,99000009,Birch Ltd,\n → which? column "CRN" or column "Subsidiary CRN"
Company number\tBorrower company number\tCompany number checked\n\t445790\tyes → 00445790
Client\tCo No\nAcme\t445790\nFormer\tCo No\nBen\t445791 → 00445790 Acme | 00445791 Ben | row 3 ("Co No", Former)
Company number\tName\n445790\tAcme\n00445790\tACME LIMITED\n445790\t → 00445790 Acme | 00445790 ACME LIMITED | 00445790
# Rule 2: words come first, and no heading says company number.
Matter\tClient\tCH ref\n100123\tAcme\t445790 → which? column "Matter" or column "CH ref"
The company number of each client stands in the first column. Ask Jane before you change it.\nRef\tClient\n100001\tAcme → which? column "Ref"
Name\tParent company number\nAcme\t445790 → which? column "Parent company number"
Jo Bloggs\tsole trader\nAcme\t445790 → which? column "sole trader"
Company No./Charity No.\tName\n445790\tAcme → which? column "Company No./Charity No."
# Rule 3: there are no headings.
99000001,Acme\n99000002,Ben\n → 99000001 Acme | 99000002 Ben
Acme Ltd, 99000001\nBen, 99000002 → 99000001 Acme Ltd | 99000002 Ben
99000001\tAcme\tJane\n99000002\tBen\tJoe → 99000001 | 99000002
99000001\t"1 High Street\nLeeds"\t500\n99000002\tYork\t600 → 99000001 1 High Street Leeds | 99000002 York
99000001\tAcme\nnone\tBen → 99000001 Acme | row 2 ("none", Ben)
99000001;Acme;a@x.uk\n99000002;;b@x.uk → 99000001 Acme | 99000002
99000001\ta@x.uk\n99000002\tb@x.uk → 99000001 | 99000002
100001\tAcme\t445790\n100002\tBen\t → which? column 1 or column 3
445790\tAcme\nn/a\tBen\nn/a\tCat\nn/a\tDan → which? column 1
445790, 445791; SC123456 → 00445790 | 00445791 | SC123456
"00445790","00445791" → 00445790 | 00445791
99000001, 99000002\n99000003, 99000004,\n99000005 → 99000001 | 99000002 | 99000003 | 99000004 | 99000005
99000001, 99000002\n99000003, 99000004 → which? column 1 or column 2
445,790\n1,234,567\n00 445 791 → 00445790 | 01234567 | 00445791
445790, SC123X\n445791 → 00445791 | line 1 ("445790, SC123X")
→
# Rule 4: a number in full, or unreadable.
2024\n445790\n48839\n3 → 00445790 | line 1 ("2024") | line 3 ("48839") | line 4 ("3")
445790\n1234 5678\n01234 567890\nStudio 2000 Ltd → 00445790 | line 2 ("1234 5678") | line 3 ("01234 567890") | line 4 ("Studio 2000 Ltd")
O0445790\n0044579O\nOC301234\nR0000521\nIP12345R → OC301234 | R0000521 | IP12345R | line 1 ("O0445790") | line 2 ("0044579O")
445790\nSE1\nLH000001\nCo. No. 00445791\n445.000 → 00445790 | line 2 ("SE1") | line 3 ("LH000001") | line 4 ("Co. No. 00445791") | line 5 ("445.000")
Company number\n0912345\n091234\nSC01234 → row 2 ("0912345") | row 3 ("091234") | row 4 ("SC01234")
Society\tCompany number\nAlder Society\tSP90BENS\nBirch Society\tSP9COLLS\nCedar Society\tSP99CUSR\nDogwood Ltd\t99000001 → SP90BENS Alder Society | SP9COLLS Birch Society | SP99CUSR Cedar Society | 99000001 Dogwood Ltd
Client\tCompany number\nAlder\tDE999123\nBirch\tOC99000l\nCedar\tSC99012A\nDogwood\t99000001 → 99000001 Dogwood | row 2 ("DE999123", Alder) | row 3 ("OC99000l", Birch) | row 4 ("SC99012A", Cedar)
# Old numbers under a clear heading.
Company number,Client\n6499,Alder plc\n99000001,Birch Ltd\n10699,Cedar plc\n,Dan\n,Eve → 00006499 Alder plc | 99000001 Birch Ltd | 00010699 Cedar plc | row 5 (empty, Dan) | row 6 (empty, Eve)
Company number,Client\n6499,Alder plc\n99000001,Birch Ltd\n1,Cedar plc\n2,Elm Ltd → 99000001 Birch Ltd | row 2 ("6499", Alder plc) | row 4 ("1", Cedar plc) | row 5 ("2", Elm Ltd)
Company number\n99000001\n99000002\n2 → 99000001 | 99000002 | row 4 ("2"; may be a total)
Company number,Client\n99000001,Birch Ltd\n99000002,Elm Ltd\n12, → 99000001 Birch Ltd | 99000002 Elm Ltd | row 4 ("12"; may be a total)
Reg no,Client\n99000001,Alder plc\n99000002,Birch Ltd\n6499,Cedar plc → 99000001 Alder plc | 99000002 Birch Ltd | row 4 ("6499", Cedar plc)
# Guard: another country.
Client,Company number,Country\nAlder Ltd,99000001,United Kingdom\nBirch DAC,990123,Ireland\nCedar Inc,9901234,United States → 99000001 Alder Ltd | row 3 ("990123", Birch DAC; may be a number of another country's register) | row 4 ("9901234", Cedar Inc; may be a number of another country's register)
Client,Jurisdiction,CRN\nAlder Ltd,us_de,FC990001\nBirch Ltd,JE,BR990002\nCedar Ltd,N/A,990003\nElm Ltd,,990004\nFir Ltd,to be confirmed,990005\nGorse Ltd,England & Wales,990006 → FC990001 Alder Ltd | BR990002 Birch Ltd | 00990003 Cedar Ltd | 00990004 Elm Ltd | 00990005 Fir Ltd | 00990006 Gorse Ltd
Client,CRN,Country of residence\nAlder Ltd,990001,Ireland → 00990001 Alder Ltd
Client,Place of incorporation,CRN\nAlder Ltd,Jersey,SC1234\nBirch Ltd,Jersey,none\nCedar Ltd,Ireland,6499\nElm Ltd,,99000001\nFir Ltd,,99000002\nGorse,,99000003 → 99000001 Elm Ltd | 99000002 Fir Ltd | 99000003 Gorse | row 2 ("SC1234", Alder Ltd; may be a number of another country's register) | row 3 ("none", Birch Ltd) | row 4 ("6499", Cedar Ltd; may be a number of another country's register)
# Guard: more cells than headings.
Name,Charity no,Company no,Note\nSmith, Jones Ltd,1234567,00102498,\n"Roe, Doe",,445790, → 00445790 Roe, Doe | row 2 ("1234567", Smith; in a row with more cells than headings)
Company number\n445790,100123\n445791,100124 → row 2 ("445790"; in a row with more cells than headings) | row 3 ("445791"; in a row with more cells than headings)
# Between tabs, a cell beyond the headings is a note, unless it could be a company number.
Client\tCo no\nTessellate Ltd\t99000001\nParallax Ltd\t99000002\tcall Jane first\nKite Ltd\t99000003 → 99000001 Tessellate Ltd | 99000002 Parallax Ltd | 99000003 Kite Ltd
Client\tCo no\nTessellate Ltd\t99000001\nParallax Ltd\t990002\t99000003 → 99000001 Tessellate Ltd | row 3 ("990002", Parallax Ltd; in a row with more cells than headings)
Client,Co no\nTessellate Ltd,99000001\nParallax Ltd,99000002,call Jane first → 99000001 Tessellate Ltd | row 3 ("99000002", Parallax Ltd; in a row with more cells than headings)
Tessellate Ltd\t99000001\nParallax Ltd\t99000002\tcall Jane first\nKite Ltd\t99000003 → 99000001 Tessellate Ltd | 99000002 Parallax Ltd | 99000003 Kite Ltd
Tessellate Ltd\t99000001\nParallax Ltd\t99000002\t99000003\nKite Ltd\t99000004 → which? column 2 or column 3
9900001\tTessellate Stores Ltd\n9900002\tParallax Ltd → which? column 1
Company number\n9900001\tTessellate Stores Ltd\n9900002\tParallax Ltd → 09900001 Tessellate Stores Ltd | 09900002 Parallax Ltd
# Guard: a total.
445790\nTotal\n548288 → 00445790 | line 2 ("Total") | line 3 ("548288"; may be a total)
Name\tCompany number\nAcme\t445790\nTotal fees:\t12345678\nNumber of clients:\t445999 → 00445790 Acme | row 3 ("12345678", Total fees:; may be a total) | row 4 ("445999", Number of clients:; may be a total)
Ref\tClient\tCo no\n1\tAcme\t99000001\n2\tBen\t99000002\nTotal\t\t2 → 99000001 Acme | 99000002 Ben | row 4 ("2"; may be a total)
Company number\tName\tNotes\n445790\tTotal Oil Ltd\tbalance due\n445791\tCount Music Limited\tupdated 1/2/2025\n445792\tWork Life Balance\t → 00445790 Total Oil Ltd | 00445791 Count Music Limited | 00445792 Work Life Balance
# Guard: another table.
Client\tCompany number\nAcme\t445790\n\nFirm\tFRN\nBarley\t759676 → Another table seems to begin in row 4
Client\tCo No\nAcme\t445790\n\nTax clients\t\nBen\t445791 → Another table seems to begin in row 4
Client\tEmail\tCo No\nAcme\ta@x.uk\t445790\n\nJo\tj@x.uk\tnone\nBen\tb@x.uk\t445791 → 00445790 Acme | 00445791 Ben | row 4 ("none", Jo)
Client\tCo No\nAcme\t445790\n\nSource: our books → 00445790 Acme | row 4 (empty, Source: our books)
# Dates where there are no headings.
Acme\t31122024\nBen\t30062024 → No column has company numbers
Title Number,Proprietor Name (1),Company Registration No. (1)\nAA1,ALDER LTD,99000001\nAA2,BIRCH LTD,99000002 → 99000001 ALDER LTD | 99000002 BIRCH LTD
09901001\n09901002\n09112044 → 09901001 | 09901002 | 09112044
99000001\t31122024\n99000002\t2024-06-30\n99000003\t1.7.24 → 99000001 | 99000002 | 99000003
# Guard: a bare heading.
Name\tReg no\nCharity Cars Ltd\t99000001\nBen\t99000002 → 99000001 Charity Cars Ltd | 99000002 Ben
No.\tCompany name\n99000001\tAcme\n99000002\tBen → 99000001 Acme | 99000002 Ben
No.,Name,Contact\n100123,Alder Ltd,Jane Doe\n100124,Birch Ltd,John Roe → which? column "No."
CS000123\tAlder Ltd\nCS000124\tBirch Ltd → which? column 1
SC000123\tAlder Ltd\nSC000124\tBirch Ltd → SC000123 Alder Ltd | SC000124 Birch Ltd
CS000123\tAlder Ltd\nFC000124\tBirch Ltd → CS000123 Alder Ltd | FC000124 Birch Ltd
Client Code,Name,Registration No,VAT No\nC1,Alder Ltd,99000001,990456789\nC2,Birch Ltd,99000002,\nC3,Dan,,\nC4,Eve,, → 99000001 Alder Ltd | 99000002 Birch Ltd | row 4 (empty, Dan) | row 5 (empty, Eve)
Name,Registration number\nAlder,SC990001\nBirch,SC990002\nSource: OSCR, → which? column "Registration number"
99000001\tAlder\n990002\tBirch → which? column 1
99000001\tAlder\n99000002\tBirch\n990003\tCedar → 99000001 Alder | 99000002 Birch | 00990003 Cedar
Name\tRegistered number\tRegulator\nBarley\t759676\tFCA → which? column "Registered number"
Name,Registration number\nAcme,ZA123456\nBen,Z1234567 → No column has company numbers
# Guard: more cells than headings, in a single row.
Name,Charity no,Company no\nSmith, Jones Ltd,1234567,99000001\nDoe, Roe,826122,\nElm Ltd,,99000002, → row 2 ("1234567", Smith; in a row with more cells than headings) | row 3 ("826122", Doe; in a row with more cells than headings) | row 4 ("99000002", Elm Ltd; in a row with more cells than headings)
# Names: never someone else's.
company_number,name,role\n99000001,"DOE, Jane",director\n99000001,"ROE, John",secretary\n99000002,"POE, Sam",director → 99000001 | 99000001 | 99000002
CRN,name\n99000001,"DOE, Jane"\n99000002,Mr John Roe\n99000003,Elm Ltd → 99000001 | 99000002 | 99000003
CRN,name\n99000001,Jane Doe\n99000001,John Roe\n99000002,Sam Poe\n99000002,Ann Loe\n99000003,Kim Noe → 99000001 | 99000001 | 99000002 | 99000002 | 99000003
URN,EstablishmentName,charity_number,company_number,charity_name\n1,Alder School,,99000001,\n2,Birch School,,99000002,\n3,Cedar School,1990001,,Cedar Trust → 99000001 Alder School | 99000002 Birch School | row 4 (empty, Cedar School)
CRN,Client\n99000001,Alder Ltd\n99000002,\n99000003, → 99000001 Alder Ltd | 99000002 | 99000003
CRN,Trust name,School name\n99000001,,Alder\n99000002,,Birch\n99000003,Cedar Trust,Cedar → 99000001 Alder | 99000002 Birch | 99000003 Cedar
Organisation name,CRN\nElm,99000001\nElm,99000002\nElm,99000003\nFir,99000004 → 99000001 | 99000002 | 99000003 | 99000004
Organisation name,Supplier name,CRN\nElm Council,Alder Ltd,99000001\nFir Council,Birch Ltd,99000002 → 99000001 Alder Ltd | 99000002 Birch Ltd
Co no\tAccount owner\tState\tPostcode\n445790\tJane Doe\tActive\tLS1 4DY → 00445790
Co no\tContact name\tShareholder name\tAuditor name\n445790\tJane Doe\tJoe Roe\tElm LLP → 00445790
*ContactName\tFirstName\tCompanyNumber\nTessellate Ltd\tJane\t99000001 → 99000001 Tessellate Ltd
Co no\tClient\tLegal name\n445790\tAcme\tAcme Ltd → 00445790 Acme Ltd
Funder:Name\tRecipient:Company Number\tRecipient:Name\nElm\t445790\tAcme → 00445790 Acme
# Items, without what n8n adds to them, and counted as the spreadsheet does.
[{"row_number":2,"id":100001,"createdAt":"2026-11-23","updatedAt":445791,"co no":445790,"name":"Acme"},{"row_number":3,"co no":null,"name":""},{"row_number":9,"co no":"none","name":"Ben"},{"row_number":10,"co no":445792,"name":"Cat"}] → 00445790 Acme | 00445792 Cat | row 9 ("none", Ben)
[{"crn":"445790"},{"crn":""},{"crn":true},{"other":{}}] → 00445790 | row 4 (true) | row 5 (empty)
[{"Company numbers":"Ref","__EMPTY":"Co. No."},{"Company numbers":100123,"__EMPTY":445790}] → 00445790
[{"Co no":445790,"__EMPTY":"see note"}] → row 2 (445790, see note; in a row with more cells than headings)
[{"Id":"001A","Name":"Alder Ltd","Company_Registration_Number__c":"99000001"},{"Id":"001B","Name":"Birch Ltd","Company_Registration_Number__c":"99000002"}] → 99000001 Alder Ltd | 99000002 Birch Ltd
[{"Company number":6499,"Client":"Alder plc"},{"Company number":99000001,"Client":"Birch Ltd"},{"Company number":10699,"Client":"Cedar plc"}] → 00006499 Alder plc | 99000001 Birch Ltd | 00010699 Cedar plc
[{"Co no":445790,"Co no_1":445791}] → which? column "Co no" or column "Co no_1"
`;
/** The lines of a table with an arrow: text with escapes, and what stands behind the arrow. */
function casesOf(table: string) {
	return table.split('\n').flatMap((line) => {
		const [text, outcome] = line.split(/ ?→ ?/);
		const unescaped = jsonParse<string>(`"${text.replaceAll('"', '\\"')}"`);
		return outcome === undefined ? [] : [[unescaped, outcome] as const];
	});
}

it.each(casesOf(TABLE))('%j is read as %s', (text, outcome) => {
	const list = text.startsWith('[{') ? readListItems(jsonParse(text)) : readListText(text);
	expect(outcomeOf(list).join(' | ')).toBe(outcome);
	expectStored('listed' in list ? list.listed : []);
});

describe('a heading', () => {
	const headingsIn = (text: string) =>
		text.split(/ \| |\n/).map((heading) => heading.replace('\\n', '\n'));

	it.each(
		headingsIn(
			String.raw`Company number | Company no | Co reg no | CRN | Company # | Company reg | COMPANY_NO. | companyNumber
Companies House number | Co. No. | CH number | Client company no | Company Registration Number (CRN)
UK company no. | Company number (8 digits) | Companies House\nReg. Nr | Reg. no. (Companies House)
Company Registration No. (1) | Recipient Org:Company Number | Company number 2 | company/number
Company_Registration_Number__c | property_company_number | DonorCompanyNo | suppliercompanynumber
Organization - Company number | Companies Registration Number | Company Number (8 characters)
Company number (e.g. 12345678)
Borrower Company Number | recipient/0/companyNumber | What is your company number? | Company number / CRN
Company number (if any, no spaces) | Tenant's CRN | Charity company number | Company incorporation number`,
		),
	)('%j says so, whatever stands in other columns', (heading) => {
		const text = `Ref\t"${heading}"\tFee\n445001\t445790\t445002`;
		expect(read(text)).toEqual(['00445790']);
	});

	it.each(
		headingsIn(`Reg no | Registered number | Registration number | Business registration number
Number | No. | Registration No (1)`),
	)('%j says so where no other column could be it, and nearly all numbers are full', (heading) => {
		expect(read(`Ref\t${heading}\n1001\t99000001`)).toEqual(['99000001']);
		expect(read(`Ref\t${heading}\n1001\t445790`)).toEqual([`which? column "${heading}"`]);
		const which = `which? column "Ref" or column "${heading}"`;
		expect(read(`Ref\t${heading}\n445001\t445790`)).toEqual([which]);
	});

	it.each(
		headingsIn(`Ref | Client number | Customer no | VAT registration number | Company ref | Company ID
Companies House code | Account number | Charity number | FRN | Firm registration number
ICO registration number | Licence | Sort code | Phone | Record ID | Turnover | Charity/Company Number
Company or charity number | Company number (charity number if none) | Company number / VAT number | Holding company number | Company VAT no
UltimateParentCompanyNo | Former company number | Previous company number | No company number
Has company number | check CRN | Awaiting company number | Intercompany number | Staff | CRO number
Company no longer trading | Company no of employees | Company registration date | Company phone no
Company number/Ref no | Date of company registration`),
	)('%j says nothing of the kind', (heading) => {
		expect(read(`Client\t${heading}\nAcme\t445790`)).toEqual([`which? column "${heading}"`]);
	});
});

it('keeps the other names where one number was copied over another', () => {
	const four = many(4, (one) => `${99_000_000 + one}\tClient ${one}`);
	const others = ['99000001\tElm plc', '99000002\tCLIENT 2 LTD'];
	const rows = rowsIn(['CRN\tName', ...four, ...others].join('\n'));
	const names = [null, 'Client 2', 'Client 3', 'Client 4', null, 'CLIENT 2 LTD'];
	expect(map(rows, 'name')).toEqual(names);
	const unclear = ['Client 1', ...Array(3), 'Elm plc', undefined];
	expect(map(rows, 'unclearName')).toEqual(unclear);
});

it('has its headings among its first twenty rows', () => {
	const clients = many(20, (one) => `${99_000_000 + one}\tClient ${one}`);
	const outcome = read([...clients, 'Co no\tClient', '99000021\tElm plc'].join('\n'));
	expect(outcome).toHaveLength(22);
	expect(outcome.slice(20)).toEqual(['99000021 Elm plc', 'row 21 ("Co no", Client)']);
});

describe('the columns of a row', () => {
	const columnsIn = (text: string) => rowsIn(text).map((one) => columnsOf(one));

	it('come by their headings, each of its own, and none without headings', () => {
		expect(columnsIn('Co no\tEmail\t\tEmail\n445790\tj@x.uk\t\tk@x.uk\n445791')).toEqual([
			{ 'Co no': '445790', Email: 'j@x.uk', 'Email (column 4)': 'k@x.uk' },
			{ 'Co no': '445791', Email: '', 'Email (column 4)': '' },
		]);
		expect(columnsIn('99000001\tAcme')).toEqual([null]);
		expect(columnsIn('445790')).toEqual([null]);
	});

	it('are at most 30, and 4 KB', () => {
		const headings = many(40, (one) => `C${one}`);
		const [columns] = columnsIn(`Co no\t${headings.join('\t')}\n445790`);
		expect(Object.keys(columns ?? {})).toEqual(['Co no', ...headings.slice(0, 29)]);
		const long = 'é'.repeat(2100);
		expect(columnsIn(`Co no\tNotes\tEmail\n445790\t${long}\tj@x.uk`)).toEqual([
			{ 'Co no': '445790', Email: 'j@x.uk' },
		]);
	});

	it('are left out where the state has no room, except numbers and names', () => {
		const listed = rowsIn('Ref\tCo no\tNotes\tClient\nR1\t445790\tlong note\tAcme\n');
		const { text, leftOut } = storedText(listed);
		expect([text.includes('long note'), leftOut]).toEqual([true, []]);
		expect(storedText(listed, text.length).text).toBe(text);

		const short = storedText(listed, text.length - 1);
		expect(short.leftOut).toEqual(['Ref', 'Co no', 'Notes', 'Client']);
		expect([read(short.text), columnsIn(short.text)]).toEqual([['00445790 Acme'], [null]]);
		expect(storedText(rowsIn('99000001\tAcme'), 1)).toMatchObject({ leftOut: [] });
	});
});

describe('words', () => {
	const WORDS = String.raw`
Ref\tCo ID\n445001\t445790 → The column with company numbers is unclear. The numbers could be in column "Ref" or column "Co ID". Give only the right column the heading 'Company number'.
Number\tClient\n1001\tAcme → No column has company numbers. Give only the right column the heading 'Company number'.
Acme,99000001\nBirch, Roe,99000002 → The list has no heading above its company numbers. The numbers could be in column 2 or column 3. Add a row of headings, with 'Company number' above the right column, and put names with a comma in quotes. If this is a list of numbers, put one on each line.
9900001\tTessellate Stores Ltd\n9900002\tParallax Ltd → The list has no heading above its company numbers. The numbers could be in column 1. Add a row of headings, with 'Company number' above column 1.
Client\tCo no\nAcme\t445790\t445791 → 1 of 1 row has no readable company number in column "Co no". Put a heading above each column, and names with a comma in quotes. Unreadable: row 2 ("445790", Acme; in a row with more cells than headings)
\uFFFD\uFFFD → The text cannot be read. Save the file as UTF-8, then try again.
Co no\n445790\n\nFirm\n759676 → Another table seems to begin in row 4. Keep only one table. If this is one table, remove the empty row above row 4.
445790\n4.4579E+07\n99000001 / 99000002\nhttps://example.com/company/sc123456/officers → 3 of 4 rows have no readable company number. Enter all 8 characters, such as 99000001 or SC990001. Write each company number alone, in a row of its own. Unreadable: line 2 ("4.4579E+07"), line 3 ("99000001 / 99000002"), line 4 ("https://example.com/company/sc123456/off…")
Co no\nDE999123 → 1 of 1 row has no readable company number in column "Co no". The register is not known to use this prefix. If the number is right, set 'Company Source' to 'Search and Pick' and search for the company. Unreadable: row 2 ("DE999123")
Co no\tClient\n1001\tAcme\n1002\tBen → 2 of 2 rows have no readable company number in column "Co no". Enter all 8 characters, such as 99000001 or SC990001. Unreadable: row 2 ("1001", Acme), row 3 ("1002", Ben)
Co no,Country\n990001,Jersey → 1 of 1 row has no readable company number in column "Co no". Write all 8 characters if the company is on the UK register. Unreadable: row 2 ("990001"; may be a number of another country's register)
`;

	it.each(casesOf(WORDS))('say of %j: %s', (text, words) => {
		expect(wordsFor(readListText(text))).toBe(words);
	});

	it('name up to 100 rows, those with something in them first', () => {
		const rows = many(250, (one) => (one % 2 ? `\tClient ${one}` : `none ${one}00\tClient ${one}`));
		const listed = rowsIn(['Co no\tClient', '445790\tAcme', ...rows].join('\n'));
		const unreadable = unreadableRows(listed);
		const first = { words: 'row 4 ("none 200", Client 2)', cell: 'none 200', name: 'Client 2' };
		const last = { words: 'row 251 (empty, Client 249)', cell: '', name: 'Client 249' };
		expect([unreadable[0], unreadable[249]]).toMatchObject([first, last]);
		expect(unreadableProblem(listed)?.rows).toMatch(/"none 20000", Client 200\) and 150 more$/);
	});

	it.each<[string, boolean]>([
		['44579O', true],
		['none\tBen\t445792', true],
		['#N/A\tBen', true],
		['sole trader', false],
		['1,250\tTotal', false],
		['9920014\tTotal', true],
	])('say of %j whether it looks like a mistyped number: %j', (cell, looksMistyped) => {
		const unreadable = unreadableRows(rowsIn(`Co no\tClient\n445790\tAcme\n${cell}`));
		expect(unreadable).toEqual([expect.objectContaining({ looksMistyped })]);
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
