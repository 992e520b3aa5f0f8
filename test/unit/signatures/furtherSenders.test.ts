// Senders that are in no list this package was built after, as a check of it.
import { countSenders, describeSenders } from '../../support/describeSenders';
import { furtherBeyondReach, furtherSenders } from '../../support/furtherSenders';
import { beyondReach, surveyedSenders } from '../../support/surveyedSenders';

const beyond = Object.keys(furtherBeyondReach);
const all = [...surveyedSenders, ...furtherSenders];

it('of 133 further senders 107 are recognised, and 12 can be described', () => {
	expect(countSenders(furtherSenders)).toEqual({ recognised: 107, described: 12 });
	expect(furtherSenders.length + beyond.length).toBe(133);
});

it('of all 209 senders 172 are recognised, and 19 can be described', () => {
	expect(countSenders(all)).toEqual({ recognised: 172, described: 19 });
	expect(all.length + Object.keys(beyondReach).length + beyond.length).toBe(209);
});

it('no sender is counted twice', () => {
	const names = [...all.map(({ name }) => name), ...Object.keys(beyondReach), ...beyond];
	expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
});

it('each further sender has a source', () => {
	expect(furtherSenders.filter(({ source }) => !source)).toEqual([]);
});

describeSenders(furtherSenders);
