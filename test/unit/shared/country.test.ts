// Which texts in a column of countries name another country than the United Kingdom.
import { namesOtherCountry } from '../../../nodes/CompanyRegistry/shared/country';

it.each([
	...['Ireland', 'IE', 'Republic of Ireland', 'Ireland, Republic of', 'Dublin, Ireland', 'Eire'],
	...['The United States of America', 'USA', 'U.S.A.', 'us_de', 'Delaware, USA', 'Germany (DE)'],
	...['DE - Germany', 'NORWAY', 'NO', 'Jersey', 'Guernsey', 'Isle of Man', 'Channel Islands'],
	...["Côte d'Ivoire", 'Türkiye', 'Hong Kong', 'Viet Nam', 'St Lucia', 'Trinidad and Tobago'],
	...['Bosnia & Herzegovina', 'Korea, Republic of'],
	// In other words, and in the countries' own languages.
	...['Irish Republic', 'ROI', 'Hong Kong SAR', 'Virgin Islands, British', 'Slovak Republic'],
	...['Tanzania, United Republic of', 'St Vincent and the Grenadines', 'State of Wyoming', 'PRC'],
	...['Deutschland', 'España', 'Österreich', 'New York', 'Dubai, UAE'],
])('%j does', (text) => {
	expect(namesOtherCountry(text)).toBe(true);
});

it.each([
	...['United Kingdom', 'U.K.', 'GBR', 'GB-ENG', 'Great Britain', 'England & Wales', 'Cymru'],
	...['Northern Ireland', 'Ireland, Northern', 'SCOTLAND', 'London, England', 'NI', 'SC'],
	...['Northern Ireland (UK)', '', '-', 'N/A', 'No', 'unknown', 'EU', 'London', '44', '中国'],
	...['Republic', 'the State of'],
])('%j does not', (text) => {
	expect(namesOtherCountry(text)).toBe(false);
});
