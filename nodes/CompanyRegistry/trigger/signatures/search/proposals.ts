import type { Candidate, Candidates } from './schemeCandidates';

/** Between the parts of what is signed, the most usual first. */
const SEPARATORS = ['.', ':', '', '|', '\\n', '-', '_', ',', ';', ' ', '/', '&'];
const OTHERS_WITH_TIME = [
	...['v0', 'v1', 'v2', 'v3'].flatMap((version) =>
		['.', ':'].map((between) => [version, '{timestamp}', '{body}'].join(between)),
	),
	'[{timestamp};{body}]',
	'[{timestamp},{body}]',
	'timestamp={timestamp}&body={body}',
];
const WITH_TIME = [...inAnyOrder('{timestamp}', '{body}'), ...OTHERS_WITH_TIME];
const WITH_ID = inAnyOrder('{id}', '{body}');
const WITH_BOTH = inAnyOrder('{id}', '{timestamp}', '{body}');
const WITHOUT_TIME = ['{body}', 'hmacsha256={body}', 'sha256={body}'];
const WITH_URL = [...inAnyOrder('{url}', '{body}'), 'POST{url}{body}', '{url}POST{body}'];
const WITH_URL_AND_TIME = [
	...inAnyOrder('{url}', '{timestamp}', '{body}'),
	'POST{url}{body}{timestamp}',
	'{timestamp}POST{url}{body}',
];

/** A signed content, and what may stand for its parts. */
interface Proposal {
	content: string;
	time?: Candidate;
	id?: Candidate;
}

/** What may have been signed, the likeliest first: with the first time and id, then with the next. */
export function* proposals(
	{ times, ids }: Candidates,
	address: string | undefined,
): Generator<Proposal, void> {
	for (const content of WITHOUT_TIME) yield { content };
	if (address) for (const content of WITH_URL) yield { content };
	for (let rank = 0; rank < times.length + ids.length; rank++) {
		const time = times.at(rank);
		if (time) for (const content of WITH_TIME) yield { content, time };
		if (time && address) for (const content of WITH_URL_AND_TIME) yield { content, time };
		const id = ids.at(rank);
		if (id) for (const content of WITH_ID) yield { content, id };
		for (const [place, one] of times.slice(0, rank + 1).entries()) {
			const other = ids.at(rank - place);
			if (other) for (const content of WITH_BOTH) yield { content, time: one, id: other };
		}
	}
}

/** Every order of the parts with each separator between them. */
function inAnyOrder(...parts: string[]): string[] {
	return SEPARATORS.flatMap((between) => orders(parts).map((order) => order.join(between)));
}

function orders(parts: string[]): string[][] {
	if (parts.length === 0) return [[]];
	return parts.flatMap((part) =>
		orders(parts.filter((other) => other !== part)).map((rest) => [part, ...rest]),
	);
}
