// How real senders sign: those that this package was built after, and others as a check of it.
import { describeSenders } from '../../support/describeSenders';
import { furtherBeyondReach, furtherSenders } from '../../support/furtherSenders';
import { beyondReach, surveyedSenders } from '../../support/surveyedSenders';

const all = [...surveyedSenders, ...furtherSenders];
const beyond = [...Object.keys(beyondReach), ...Object.keys(furtherBeyondReach)];

it('of 209 senders 168 are recognised, and 22 can be described', () => {
	const described = all.filter(({ custom }) => custom !== undefined).length;
	expect({ recognised: all.length - described, described }).toEqual({
		recognised: 168,
		described: 22,
	});
	expect(all.length + beyond.length).toBe(209);
});

it('no sender is counted twice', () => {
	const names = [...all.map(({ name }) => name), ...beyond];
	expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
});

it('each further sender has a source', () => {
	expect(furtherSenders.filter(({ source }) => !source)).toEqual([]);
});

describeSenders(all);
