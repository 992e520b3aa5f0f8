// Times as a person in the workflow's time zone reads them.
import { clockIn } from '../../../nodes/CompanyRegistry/trigger/reports/times';

const NOW = Date.UTC(2026, 10, 25, 6, 0);

it.each<[zone: string, at: number, words: string]>([
	['Europe/London', Date.UTC(2026, 10, 24, 5, 25), '24 Nov 05:25'],
	['Europe/London', Date.UTC(2026, 5, 1, 5, 25), '1 Jun 06:25'],
	['America/New_York', Date.UTC(2026, 10, 25, 5, 0), '00:00'],
	['America/New_York', Date.UTC(2026, 10, 25, 4, 59), '24 Nov 23:59'],
])('in %s', (zone, at, words) => {
	expect(clockIn(zone, NOW).timeOf(at)).toBe(words);
});

it('knows each IANA zone, and takes UTC for what is none', () => {
	const zones = [...Intl.supportedValuesOf('timeZone'), 'Europe/London', 'UTC'];
	for (const zone of zones) {
		const clock = clockIn(zone, NOW);
		expect([clock.zone, clock.timeOf(NOW)]).toEqual([zone, expect.stringMatching(/^\d\d:\d\d$/)]);
	}
	for (const zone of ['DEFAULT', '', 'Europe/Nowhere']) {
		const clock = clockIn(zone, NOW);
		expect([clock.zone, clock.timeOf(NOW)]).toEqual(['UTC', '06:00']);
	}
});

const at = (hour: number, minute: number, month = 10, day = 25) =>
	Date.UTC(2026, month, day, hour, minute);

it.each<[string, { from?: number; to?: number }, string]>([
	['both', { from: at(5, 10), to: at(5, 22) }, 'between 05:10 and 05:22'],
	['one minute', { from: at(5, 10), to: at(5, 10) + 59_000 }, 'around 05:10'],
	['no end', { from: at(5, 10) }, 'since 05:10'],
	['no beginning', { to: at(5, 22) }, 'until 05:22'],
	['neither', {}, ''],
	[
		'another day',
		{ from: at(22, 0, 10, 24), to: at(5, 22) },
		'between 24 Nov 22:00 and 25 Nov 05:22',
	],
])('a range with %s', (_what, range, words) => {
	expect(clockIn('Europe/London', NOW).rangeOf(range)).toBe(words);
});
