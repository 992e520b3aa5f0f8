import { deburr, once } from 'lodash';

/** The codes with three letters of ISO 3166-1 for all countries but the United Kingdom. */
const CODES =
	'ABW AFG AGO AIA ALA ALB AND ARE ARG ARM ASM ATA ATF ATG AUS AUT AZE BDI BEL BEN BES BFA BGD BGR BHR BHS ' +
	'BIH BLM BLR BLZ BMU BOL BRA BRB BRN BTN BVT BWA CAF CAN CCK CHE CHL CHN CIV CMR COD COG COK COL COM CPV ' +
	'CRI CUB CUW CXR CYM CYP CZE DEU DJI DMA DNK DOM DZA ECU EGY ERI ESH ESP EST ETH FIN FJI FLK FRA FRO FSM ' +
	'GAB GEO GGY GHA GIB GIN GLP GMB GNB GNQ GRC GRD GRL GTM GUF GUM GUY HKG HMD HND HRV HTI HUN IDN IMN IND ' +
	'IOT IRL IRN IRQ ISL ISR ITA JAM JEY JOR JPN KAZ KEN KGZ KHM KIR KNA KOR KWT LAO LBN LBR LBY LCA LIE LKA ' +
	'LSO LTU LUX LVA MAC MAF MAR MCO MDA MDG MDV MEX MHL MKD MLI MLT MMR MNE MNG MNP MOZ MRT MSR MTQ MUS MWI ' +
	'MYS MYT NAM NCL NER NFK NGA NIC NIU NLD NOR NPL NRU NZL OMN PAK PAN PCN PER PHL PLW PNG POL PRI PRK PRT ' +
	'PRY PSE PYF QAT REU ROU RUS RWA SAU SDN SEN SGP SGS SHN SJM SLB SLE SLV SMR SOM SPM SRB SSD STP SUR SVK ' +
	'SVN SWE SWZ SXM SYC SYR TCA TCD TGO THA TJK TKL TKM TLS TON TTO TUN TUR TUV TWN TZA UGA UKR UMI URY USA ' +
	'UZB VAT VCT VEN VGB VIR VNM VUT WLF WSM XKX YEM ZAF ZMB ZWE';
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** The runtime has names for these, too. */
const NO_COUNTRY = /^(?:EU|EZ|QO|UN|X[AB]|ZZ)$/;
/** Common names beside those that the runtime knows, in English and in the countries' own languages. */
const OTHER_NAMES =
	'eire, irish, roi, southern ireland, channel islands, alderney, iom, bvi, cayman, america, ' +
	'united states of america, us of america, holland, czech, slovak, macedonia, turkey, russian, korea, ' +
	'viet nam, prc, china mainland, macau, syrian arab, palestine, uae, swaziland, ivory coast, drc, ' +
	'brunei darussalam, netherlands antilles, saint kitts, nevis, saint vincent, united tanzania, ' +
	`deutschland, osterreich, schweiz, suisse, svizzera, luxemburg, nederland, belgie, belgique, espana, italia, ` +
	`polska, sverige, danmark, norge, suomi, cesko, slovensko, magyarorszag, hrvatska, slovenija, lietuva, ` +
	`latvija, eesti, brasil`;
/** Parts of other countries that have registers of their own. */
const STATES =
	'dubai, abu dhabi, ontario, quebec, british columbia, alberta, new south wales, ' +
	'queensland, alabama, alaska, arizona, arkansas, california, colorado, connecticut, delaware, florida, hawaii, ' +
	'idaho, illinois, indiana, iowa, kansas, kentucky, louisiana, maine, maryland, massachusetts, michigan, minnesota, ' +
	'mississippi, missouri, montana, nebraska, nevada, new hampshire, new jersey, new mexico, new york, ' +
	'north carolina, north dakota, ohio, oklahoma, oregon, pennsylvania, rhode island, south carolina, south dakota, ' +
	'tennessee, texas, utah, vermont, virginia, west virginia, wisconsin, wyoming';
/** Countries of the United Kingdom, in the words and short forms that registers use. */
const UNITED_KINGDOM =
	/^(?:united kingdom|uk|gb|gbr|(?:great )?britain|england|wales|cymru|scotland|northern ireland|ireland northern|ni|sc|e ?w)\b/;
const LONGEST_NAME = 100;
const PART = /[,;:/()|_–-]+/;
/** Words that say nothing of which country it is: `Republic of Korea`, `Kingdom of Spain`, `Hong Kong SAR China`. */
const FORM_OF_STATE =
	/\b(?:the|and|of|republic|rep|federal|federation|democratic|peoples|islamic|kingdom|commonwealth|state|states of|grand duchy|principality|bailiwick|province|sar(?: china)?)\b/g;

/** Whether a text names a country other than the United Kingdom. Words that name no country do not. */
export function namesOtherCountry(text: string): boolean {
	if (text.length > LONGEST_NAME) return false;
	const parts = [text, ...text.split(PART)];
	if (parts.some((part) => UNITED_KINGDOM.test(wordsOf(part)))) return false;
	return parts.some((part) => {
		// "NA" and "no" are hardly ever Namibia and Norway.
		if (/^\s*n[ao]\s*$/i.test(part)) return part.trim() === 'NO';
		return otherCountries().has(countryOf(part));
	});
}

const otherCountries = once(() => {
	const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
	const pairs = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
	const regions = pairs.filter((pair) => names.of(pair) && !NO_COUNTRY.test(pair));
	const known = regions.map((region) => String(names.of(region)));
	const codes = [...CODES.split(' '), ...regions];
	const parts = known.flatMap((name) => [name, ...name.split(PART)]);
	const all = [...codes, ...parts, ...OTHER_NAMES.split(', '), ...STATES.split(', ')].map(
		countryOf,
	);
	return new Set(all.filter((name) => name !== ''));
});

/** The words of a name in the order of the alphabet, because `Korea, Republic of` is `Republic of Korea`. */
function countryOf(name: string): string {
	return wordsOf(wordsOf(name).replace(FORM_OF_STATE, '')).split(' ').sort().join(' ');
}

/** `Côte d'Ivoire` without accents and signs. */
function wordsOf(name: string): string {
	const letters = deburr(name).toLowerCase().replace(/[.'’]/g, '');
	return letters
		.replace(/[^a-z]+/g, ' ')
		.replace(/\bst\b/g, 'saint')
		.trim();
}
