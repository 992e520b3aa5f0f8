// Items of Watch Report: a subject that tells good news from bad, and a text with the lists.
import { outputSchema } from '../../../nodes/CompanyRegistry/trigger/deliveries/output';
import {
	renumbered,
	reportItem,
	type WatchReport,
} from '../../../nodes/CompanyRegistry/trigger/parameters/watchReport';

const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(99_000_001 + n));
const reasons = (count: number, reason: string) =>
	new Map(numbers(count).map((number): [string, string] => [number, reason]));
const PAUSED = reasons(2, 'was paused');
const NAMES = new Map([['99000001', 'Kite <b>Ltd']]);
const STATUS: WatchReport = {
	state: 'complete',
	summary: 'Everything is said here.',
	wanted: 300,
	watched: 300,
	added: [],
	removed: [],
	repaired: new Map(),
	left: new Map(),
};
const itemOf = (changes: Partial<WatchReport>) =>
	outputSchema.parse(reportItem({ ...STATUS, ...changes }, NAMES, 1_700_000_000_000));

it.each<[string, Partial<WatchReport>]>([
	['300 of 300 companies are watched', {}],
	['1 of 1 company is watched', { wanted: 1, watched: 1 }],
	['297 of 300 companies are watched; setup continues', { state: 'settingUp', watched: 297 }],
	['3 of 300 companies are not watched', { state: 'incomplete', watched: 297 }],
	['300 of 300 companies are watched; action needed', { state: 'incomplete' }],
	['events may be missing for 2 companies', { state: 'repaired', repaired: PAUSED }],
	['1 of 300 companies is not watched', { state: 'incomplete', watched: 299, repaired: PAUSED }],
])('the subject is "Watch report: %s"', (words, changes) => {
	expect(itemOf(changes).subject).toBe(`Watch report: ${words}`);
});

it('the text has the summary and the lists, as plain lines', () => {
	const left = new Map([['99000001', 'the plan\nis full']]);
	const changes = { left, repaired: reasons(1, 'was paused'), added: ['99000002'] };
	expect(itemOf({ ...changes, removed: ['99000003'] }).text).toBe(`Everything is said here.

Not watched:
99000001 Kite ‹b›Ltd: the plan is full

Repaired:
99000001 Kite ‹b›Ltd: was paused

Added:
99000002

No longer watched:
99000003`);
});

it('each list has 100 companies and its count', () => {
	const { text, payload, received_at } = itemOf({ left: reasons(105, 'refused') });
	expect([received_at, payload.checked_at]).toEqual(Array(2).fill('2023-11-14T22:13:20.000Z'));
	expect(text.split('\n').slice(-2)).toEqual(['99000100: refused', '… and 5 more']);
	const { count, companies } = payload.left as { count: number; companies: object[] };
	expect([count, companies.length]).toEqual([105, 100]);
	expect(companies[0]).toEqual({
		company_number: '99000001',
		company_name: 'Kite <b>Ltd',
		reason: 'refused',
	});
});

it.each<[string, string[], string[], string[]]>([
	['a slip', ['99306165'], ['09930616'], ["99306165 was Kite Ltd's number, now 09930616"]],
	['another company', ['99306165'], ['99000002'], []],
	['a company without a name', ['99000003'], ['09930616'], []],
	['nothing removed', [], ['09930616'], []],
])('renumbered finds %s', (_what, removed, companies, expected) => {
	const named = { 99306165: 'Kite Ltd', '09930616': 'KITE LIMITED', 99000002: 'Hawk Ltd' };
	const names = new Map(Object.entries(named));
	expect(renumbered(removed, { companies, names })).toEqual(expected);
});
