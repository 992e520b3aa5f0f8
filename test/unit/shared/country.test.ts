// Which texts in a column of countries name another country than the United Kingdom.
import { namesOtherCountry } from '../../../nodes/CompanyRegistry/shared/country';

it.each([
	...['Ireland', 'IE', 'IRL', 'ie', 'Republic of Ireland', 'Ireland, Republic of', 'Eire'],
	...['United States', 'The United States of America', 'USA', 'U.S.A.', 'us_de', 'US-DE'],
	...['Delaware', 'Delaware, USA', 'Germany (DE)', 'DE - Germany', 'NORWAY', 'NO'],
	...[
		'Jersey',
		'Guernsey',
		'Isle of Man',
		'Gibraltar',
		'Channel Islands',
		'British Virgin Islands',
	],
	...["Côte d'Ivoire", 'Turkey', 'Türkiye', 'Czech Republic', 'Hong Kong', 'Viet Nam', 'St Lucia'],
	...['Trinidad and Tobago', 'Bosnia & Herzegovina', 'Korea, Republic of', 'Dublin, Ireland'],
])('%j does', (text) => {
	expect(namesOtherCountry(text)).toBe(true);
});

it.each([
	...['United Kingdom', 'UK', 'U.K.', 'GB', 'GBR', 'GB-ENG', 'Great Britain', 'England', 'Cymru'],
	...[
		'England & Wales',
		'England/Wales',
		'England and Wales',
		'Northern Ireland',
		'Ireland, Northern',
	],
	...[
		'United Kingdom of Great Britain and Northern Ireland',
		'Wales',
		'SCOTLAND',
		'London, England',
	],
	...['NI', 'SC', 'Northern Ireland (UK)', 'The United Kingdom'],
	...[
		'',
		' ',
		'-',
		'.',
		'N/A',
		'NA',
		'n/a',
		'no',
		'No',
		'none',
		'unknown',
		'to be confirmed',
		'tbc',
	],
	...['Europe', 'EU', 'London', '44', 'International', 'other', '中国'],
])('%j does not', (text) => {
	expect(namesOtherCountry(text)).toBe(false);
});
