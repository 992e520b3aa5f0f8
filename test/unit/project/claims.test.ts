// README.md, SECURITY.md and docs/ name limits and times. Each is compared with the constant in the code.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { compact, map } from 'lodash';

import { LINK_LIMIT } from '../../../nodes/CompanyRegistry/lists/link';
import { CONCURRENT_REQUESTS } from '../../../nodes/CompanyRegistry/registry/registry';
import { normaliseCompanyNumber } from '../../../nodes/CompanyRegistry/shared/companyNumber';
import { KEPT_FOR } from '../../../nodes/CompanyRegistry/trigger/deliveries/readDelivery';
import { nextCheck, TIMES } from '../../../nodes/CompanyRegistry/trigger/lifecycle/schedule';
import { FORGET_AFTER } from '../../../nodes/CompanyRegistry/trigger/lifecycle/state';
import { optionsSchema } from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import { LONG_DOWNTIME } from '../../../nodes/CompanyRegistry/trigger/reports/ledger';
import { SAMPLE } from '../../../nodes/CompanyRegistry/trigger/samples/startSample';
import { pages, readPage } from '../../support/documents';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const root = join(__dirname, '../../../nodes');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
	.filter((file) => file.endsWith('.ts'))
	.map((file) => readFileSync(join(root, file), 'utf8'))
	.join('\n');

/** The value of a constant that one file of the code may keep to itself. */
function constant(name: string): number {
	const found = [...sources.matchAll(new RegExp(`const ${name} = ([\\d_]+);`, 'g'))];
	if (found.length !== 1) throw new Error(`The code has ${found.length} constants ${name}`);
	return Number(found[0][1].replaceAll('_', ''));
}

const tolerance = optionsSchema.parse({}).signature.tolerance.seconds;
const isNumber = (digits: number) => normaliseCompanyNumber('1'.repeat(digits)) !== undefined;
const fewestDigits = [1, 2, 3, 4, 5, 6, 7, 8].find(isNumber) ?? NaN;
const firstCheck = nextCheck('node', 'tenMinutes', 0);
const hours = Array.from({ length: 24 }, (_, hour) => hour * HOUR);
const longestRetry = Math.max(...hours.map((at) => nextCheck('node', 'day', at, -1e12) - at));

/** "#" is a number. The other words are few, so that a sentence may be reworded around them. */
const CLAIMS: Array<[phrase: RegExp, value: number]> = [
	[/first # rows/, constant('TOP')],
	[/alone need at least #|# or seven digits/, fewestDigits],
	[/(?:at most|limit is) # MB/, LINK_LIMIT.bytes / 1e6],
	[/# columns/, constant('MAXIMUM_COLUMNS')],
	[/# KB/, constant('MAXIMUM_COLUMN_BYTES') / 1024],
	[/up to # `?companies/, constant('MAXIMUM_LISTED')],
	[
		/(?:reported|problem) after # minutes|failures are reported after # minutes/,
		TIMES.beforeReport / MINUTE,
	],
	[/(?:answers|ends|refuses[^.|]*?) within (?:the first )?# seconds/, TIMES.earlyAnswer / 1000],
	[/otherwise within # seconds/, TIMES.latestAnswer / 1000],
	[/webhooks # seconds later/, TIMES.beforePausing / 1000],
	[/webhooks created in the last # seconds/, TIMES.store / 1000],
	[/seconds, or of the last #/, constant('CHANGES_PER_STORE')],
	[/1, 2, 4 … # minutes/, longestRetry / MINUTE],
	[/# seconds (?:unless set|by default)|default is # seconds/, tolerance],
	[/tolerance[^.]*?# minutes/, tolerance / 60],
	[/for # hours/, KEPT_FOR.idOfDelivery / HOUR],
	[/# minutes (?:where|if) the id/, KEPT_FOR.idInBody / MINUTE],
	[/(?:at most|up to) # (?:deliveries|a trigger)/, constant('MAXIMUM_DELIVERIES')],
	[/up to # `?candidates/, constant('MAXIMUM_CANDIDATES')],
	[/# items at a time|company, # at a time/, CONCURRENT_REQUESTS],
	[/up to # HMACs/, constant('MAXIMUM_HMACS')],
	[/at least # before it/, constant('MANY') - 1],
	[/# characters of a digest/, constant('ACCOUNT_DIGEST_LENGTH')],
	[/`company_number`[^.]*? # characters/, constant('NUMBER_LENGTH')],
	[/# minutes, hour/, (nextCheck('node', 'tenMinutes', firstCheck) - firstCheck) / MINUTE],
	[/less than # minutes/, LONG_DOWNTIME / MINUTE],
	[/(?:stay|unpublished) for # days/, FORGET_AFTER / (24 * HOUR)],
	[/port #/, Number(new URL(SAMPLE.localAddress).port)],
];

/** Times and amounts that are none of this package's code: of n8n, of people, or measured. */
const OF_OTHERS = [
	/[Aa]fter three to six minutes/,
	/limit of 60 seconds for Code/,
	/two and a half minutes/,
	/93 bytes/,
	/15 to 19 deliveries/,
	/two(?: requests)? a second/,
	/on one day/,
];

const WORDS =
	'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty';
const NUMBER = `(?<![\\w.,])(\\d[\\d,]*(?:\\.\\d+)?|${WORDS.replaceAll(' ', '|')})(?![\\w])`;
const UNITS =
	'(?:milli)?seconds?|minutes?|hours?|days?|weeks?|[KMG]B|bytes|characters|columns|HMACs|`?candidates|items at a time|deliveries';
const QUANTITY = new RegExp(`# (?:${UNITS})\\b`);

const documents = pages.filter((page) => /^(?:README|SECURITY|docs\/[\w-]+)\.md$/.test(page));
/** Without code, and without the addresses of links. */
const textOf = (page: string) =>
	readPage(page)
		.replace(/```[\s\S]*?```/g, '')
		.replace(/\]\([^)]*\)/g, ']')
		.replace(/[*[\]]/g, '');

function valueOf(number: string): number {
	const word = WORDS.split(' ').indexOf(number.toLowerCase());
	return word === -1 ? Number(number.replaceAll(',', '')) : word;
}

/** Every place where a page says this: where, in which words, and the number. */
function placesOf(phrase: RegExp) {
	const pattern = new RegExp(phrase.source.replaceAll('#', NUMBER), 'gi');
	return documents.flatMap((page) =>
		[...textOf(page).matchAll(pattern)].map((match) => {
			const [words, ...numbers] = match;
			const [number = ''] = compact(numbers);
			const { index: from } = match;
			return { page, words, from, to: from + words.length, value: valueOf(number) };
		}),
	);
}

it.each(CLAIMS)('where a page says %s, the number is %d', (phrase, value) => {
	const places = placesOf(phrase);
	expect(places.length).toBeGreaterThan(0);
	expect(places.filter((place) => place.value !== value)).toEqual([]);
});

it('no page names a time or an amount that is not compared here', () => {
	const known = [...map(CLAIMS, 0), ...OF_OTHERS].flatMap(placesOf);
	const unknown = placesOf(QUANTITY).filter(
		({ page, from }) =>
			!known.some((one) => one.page === page && one.from <= from && from < one.to),
	);
	expect(unknown).toEqual([]);
});
