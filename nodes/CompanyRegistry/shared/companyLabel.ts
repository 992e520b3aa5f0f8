import { comparableNumber } from './companyNumber';

const SEPARATOR = ' · ';

/** A company in a list to pick from, which n8n keeps with the number that is picked. */
export function companyLabel(company: {
	company_name?: string | null;
	company_number: string;
	company_status?: string | null;
}): string {
	const { company_name, company_number, company_status } = company;
	return [company_name, company_number, company_status].filter(Boolean).join(SEPARATOR);
}

/** The name in such a label; null if it has none, or is that of another company. */
export function nameInLabel(label: unknown, companyNumber: string): string | null {
	const parts = typeof label === 'string' ? label.split(SEPARATOR) : [];
	const place = parts.map(comparableNumber).lastIndexOf(companyNumber);
	return place > 0 ? parts.slice(0, place).join(SEPARATOR) : null;
}
