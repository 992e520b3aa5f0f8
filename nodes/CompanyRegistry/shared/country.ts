import { deburr, once } from 'lodash';

/** The codes of ISO 3166-1 for all countries but the United Kingdom. */
const CODES =
	'AD AND AE ARE AF AFG AG ATG AI AIA AL ALB AM ARM AO AGO AQ ATA AR ARG AS ASM AT AUT AU AUS AW ABW AX ALA AZ AZE ' +
	'BA BIH BB BRB BD BGD BE BEL BF BFA BG BGR BH BHR BI BDI BJ BEN BL BLM BM BMU BN BRN BO BOL BQ BES BR BRA BS BHS ' +
	'BT BTN BV BVT BW BWA BY BLR BZ BLZ CA CAN CC CCK CD COD CF CAF CG COG CH CHE CI CIV CK COK CL CHL CM CMR CN CHN ' +
	'CO COL CR CRI CU CUB CV CPV CW CUW CX CXR CY CYP CZ CZE DE DEU DJ DJI DK DNK DM DMA DO DOM DZ DZA EC ECU EE EST ' +
	'EG EGY EH ESH ER ERI ES ESP ET ETH FI FIN FJ FJI FK FLK FM FSM FO FRO FR FRA GA GAB GD GRD GE GEO GF GUF GG GGY ' +
	'GH GHA GI GIB GL GRL GM GMB GN GIN GP GLP GQ GNQ GR GRC GS SGS GT GTM GU GUM GW GNB GY GUY HK HKG HM HMD HN HND ' +
	'HR HRV HT HTI HU HUN ID IDN IE IRL IL ISR IM IMN IN IND IO IOT IQ IRQ IR IRN IS ISL IT ITA JE JEY JM JAM JO JOR ' +
	'JP JPN KE KEN KG KGZ KH KHM KI KIR KM COM KN KNA KP PRK KR KOR KW KWT KY CYM KZ KAZ LA LAO LB LBN LC LCA LI LIE ' +
	'LK LKA LR LBR LS LSO LT LTU LU LUX LV LVA LY LBY MA MAR MC MCO MD MDA ME MNE MF MAF MG MDG MH MHL MK MKD ML MLI ' +
	'MM MMR MN MNG MO MAC MP MNP MQ MTQ MR MRT MS MSR MT MLT MU MUS MV MDV MW MWI MX MEX MY MYS MZ MOZ NA NAM NC NCL ' +
	'NE NER NF NFK NG NGA NI NIC NL NLD NO NOR NP NPL NR NRU NU NIU NZ NZL OM OMN PA PAN PE PER PF PYF PG PNG PH PHL ' +
	'PK PAK PL POL PM SPM PN PCN PR PRI PS PSE PT PRT PW PLW PY PRY QA QAT RE REU RO ROU RS SRB RU RUS RW RWA SA SAU ' +
	'SB SLB SC SYC SD SDN SE SWE SG SGP SH SHN SI SVN SJ SJM SK SVK SL SLE SM SMR SN SEN SO SOM SR SUR SS SSD ST STP ' +
	'SV SLV SX SXM SY SYR SZ SWZ TC TCA TD TCD TF ATF TG TGO TH THA TJ TJK TK TKL TL TLS TM TKM TN TUN TO TON TR TUR ' +
	'TT TTO TV TUV TW TWN TZ TZA UA UKR UG UGA UM UMI US USA UY URY UZ UZB VA VAT VC VCT VE VEN VG VGB VI VIR VN VNM ' +
	'VU VUT WF WLF WS WSM XK XKX YE YEM YT MYT ZA ZAF ZM ZMB ZW ZWE';
/** Common names beside those that the runtime knows, in English and in the countries' own languages. */
const OTHER_NAMES =
	'eire, irish, roi, southern ireland, channel islands, alderney, sark, iom, bvi, cayman, us virgin islands, ' +
	'america, united states of america, us of america, holland, czech, slovak, macedonia, turkey, russian, burma, ' +
	'korea, south korea, viet nam, prc, china mainland, macau, lao, syrian arab, palestine, uae, swaziland, cape verde, ' +
	'ivory coast, drc, brunei darussalam, netherlands antilles, saint kitts, nevis, saint vincent, united tanzania, ' +
	`deutschland, osterreich, schweiz, suisse, svizzera, luxemburg, nederland, belgie, belgique, espana, italia, polska, ` +
	`sverige, danmark, norge, suomi, cesko, slovensko, magyarorszag, hrvatska, slovenija, lietuva, latvija, eesti, brasil`;
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
	const codes = CODES.split(' ');
	const regions = codes.filter(({ length }) => length === 2);
	const names = new Intl.DisplayNames('en', { type: 'region' });
	const known = regions.map((code) => names.of(code) ?? code);
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
