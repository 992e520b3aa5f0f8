// What may have been signed, in the order in which it is tried.
import { proposals } from '../../../../nodes/CompanyRegistry/trigger/signatures/search/proposals';

const candidate = (text: string) => ({ text, header: `x-${text}` });
const [t1, t2] = ['t1', 't2'].map(candidate);
const [i1, i2, i3] = ['i1', 'i2', 'i3'].map(candidate);
const URL = 'https://n8n.example/webhook';

/** How many contents there are of each kind: the orders of their parts with 12 separators, and others. */
const COUNTS = { plain: 3, time: 24 + 8 + 3, id: 24, both: 72, url: 24 + 2, urlAndTime: 72 + 2 };

function tried(times = [t1, t2], ids = [i1, i2, i3], address: string | undefined = URL) {
	return [...proposals({ signatures: [], times, ids }, address)];
}

it('each content is tried with everything that it names, and with nothing else', () => {
	for (const { content, time, id } of tried()) {
		expect({ content, hasTime: time !== undefined, hasId: id !== undefined }).toEqual({
			content,
			hasTime: content.includes('{timestamp}'),
			hasId: content.includes('{id}'),
		});
	}
});

it.each([
	[{ address: undefined }, [], [], COUNTS.plain],
	[{ address: URL }, [], [], COUNTS.plain + COUNTS.url],
	[{ address: undefined }, [t1], [], COUNTS.plain + COUNTS.time],
	[{ address: URL }, [t1], [], COUNTS.plain + COUNTS.url + COUNTS.time + COUNTS.urlAndTime],
	[{ address: undefined }, [], [i1], COUNTS.plain + COUNTS.id],
	[{ address: undefined }, [t1], [i1], COUNTS.plain + COUNTS.time + COUNTS.id + COUNTS.both],
	[
		{ address: undefined },
		[t1, t2],
		[i1, i2, i3],
		COUNTS.plain + 2 * COUNTS.time + 3 * COUNTS.id + 6 * COUNTS.both,
	],
])('%j: with %j and %j nothing is tried twice', ({ address }, times, ids, count) => {
	const all = [...proposals({ signatures: [], times, ids }, address)];
	const keys = all.map(({ content, time, id }) => `${content} ${time?.text} ${id?.text}`);
	expect(new Set(keys).size).toBe(keys.length);
	expect(keys).toHaveLength(count);
});

it('the likeliest time and id come first, then each with the next', () => {
	const pairs = tried()
		.filter(({ content }) => content === '{id}.{timestamp}.{body}')
		.map(({ time, id }) => `${time?.text} ${id?.text}`);
	expect(pairs).toEqual(['t1 i1', 't1 i2', 't2 i1', 't1 i3', 't2 i2', 't2 i3']);
});

it('what needs least comes first', () => {
	const [first, second, third, fourth] = tried().map(({ content }) => content);
	expect([first, second, third]).toEqual(['{body}', 'hmacsha256={body}', 'sha256={body}']);
	expect(fourth).toContain('{url}');
});
