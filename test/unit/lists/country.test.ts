// Which cells below a heading of countries name another country than the United Kingdom.
import { namesOtherCountry } from '../../../nodes/CompanyRegistry/lists/country';

it.each([
	...['Ireland', 'IE', 'Republic of Ireland', 'Dublin, Ireland', 'USA', 'us_de', 'Delaware, USA'],
	...['Germany (DE)', 'Jersey', 'Isle of Man', 'Hong Kong', 'British Virgin Islands'],
	...['New South Wales', 'Nova Scotia', 'Scandinavia', 'Österreich'],
])('%j does', (text) => {
	expect(namesOtherCountry(text)).toBe(true);
});

it.each([
	...['United Kingdom', 'The UK', 'U.K.', 'GBR', 'GB-ENG', 'Great Britain', 'England & Wales'],
	...['Northern Ireland', 'Ireland, Northern', 'SCOTLAND', 'London, England', 'NI', 'Cymru'],
	...['Companies House', '', '-', 'N/A', 'No', 'unknown', 'not known', 'to be confirmed', 'TBC'],
])('%j does not', (text) => {
	expect(namesOtherCountry(text)).toBe(false);
});
