// Invented doubles of public files about UK companies: a correct file can be used, and no stranger is on the list.
import { compact, map, uniq } from 'lodash';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { readListText } from '../../../nodes/CompanyRegistry/lists/readList';

const FOLDER = join(__dirname, '../../fixtures/lists');

/** A file, its companies, the heading of its names, and how many rows have no company. */
const FILES: Array<[string, string, string, number]> = [
	['auditors.tsv', 'OC990005 99000007', 'Firm name', 1],
	['bulk-company-data.csv', '99000001 SC990012 OC990003', 'CompanyName', 0],
	['charities.csv', '99000008 09900009', 'Charity name', 1],
	['council-contracts.csv', '09900004 OC990005 99000006', 'Supplier', 1],
	['council-spending.csv', '99000001 99000002 OC990003', 'Supplier Name', 1],
	['financial-firms.csv', '99000012 09900013', 'Firm Name', 1],
	['gender-pay-gap.csv', '99000001 SC990012', 'EmployerName', 1],
	['insolvency-notices.tsv', '99000001 00990014', 'Company Name', 1],
	['officers.csv', '99000001 SC990012', 'company_name', 0],
	['party-donations.csv', '99000001', 'DonorName', 1],
	['payment-practices.csv', '99000001 00990014', 'Company', 0],
	['training-providers.tsv', '99000010 NI990011', 'Name of provider', 1],
];

it.each(FILES)('%s has %s, with names from %j', (file, companies, nameHeading, unreadable) => {
	const list = readListText(readFileSync(join(FOLDER, file), 'utf8'));
	const listed = 'listed' in list ? list.listed : [];
	expect(uniq(compact(map(listed, 'number'))).join(' ')).toBe(companies);
	expect(listed.filter(({ number }) => !number)).toHaveLength(unreadable);
	const [{ headings = [], cells, name }] = listed;
	expect(name).toBe(cells[headings.indexOf(nameHeading)]);
});

it('housing-providers.csv has the numbers of another register, and the user is asked', () => {
	const list = readListText(readFileSync(join(FOLDER, 'housing-providers.csv'), 'utf8'));
	const description = expect.stringContaining('could be in column "Registration number"') as string;
	expect(list).toMatchObject({ description });
});

it('every file is tested', () => {
	const tested = [...map(FILES, 0), 'housing-providers.csv'];
	expect(readdirSync(FOLDER).sort()).toEqual(tested.sort());
});
