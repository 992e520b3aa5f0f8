import type { List } from '../nodes/CompanyRegistry/lists/list';
import type * as ReadList from '../nodes/CompanyRegistry/lists/readList';
import { built } from './lib/built';
import { microseconds } from './lib/cpuTime';
import type { Figure } from './lib/report';
import { compare } from './lib/rounds';

const { readListItems, readListText } = built<typeof ReadList>(
	'nodes/CompanyRegistry/lists/readList',
);

const ROWS = 10_000;
const HEADINGS = ['Ref', 'Client', 'Co no', 'Address'];
/** In milliseconds. */
const TARGETS = { 'a text': 100, items: 150 };

/** Reading a list of companies, against no more than cutting it into cells. */
export async function measureLists({ rounds }: { rounds: number }): Promise<Figure[]> {
	const rows = Array.from({ length: ROWS }, (_, index) => [
		`C${index}`,
		`Client ${index}`,
		String(10_000_000 + index),
		'"1 High St\nLeeds"',
	]);
	const text = [HEADINGS, ...rows].map((cells) => cells.join('\t')).join('\r\n');
	const items = rows.map((cells) =>
		Object.fromEntries(HEADINGS.map((heading, index) => [heading, cells[index]])),
	);
	const bare = () => text.split('\r\n').map((row) => row.split('\t'));
	const reading = (count: () => number) => microseconds(5, () => count() === ROWS);
	const results = await compare(
		rounds,
		reading(() => bare().length - 1),
		{
			'a text': reading(() => countOf(readListText(text))),
			items: reading(() => countOf(readListItems(items))),
		},
	);
	return Object.entries(TARGETS).map(([form, most]) => {
		const { ours, peer, ratio } = results[form as keyof typeof TARGETS];
		return {
			what: `reading a list of ${ROWS} as ${form}`,
			ours: `${inMs(ours)} ms`,
			peer: `${inMs(peer)} ms (cutting it into cells)`,
			ratio,
			target: `≤ ${most} ms`,
			isMet: ours <= most * 1000,
		};
	});
}

function inMs(microseconds: number): string {
	return (microseconds / 1000).toFixed(1);
}

/** How many rows were read. */
function countOf(list: List): number {
	return 'listed' in list ? list.listed.length : 0;
}
