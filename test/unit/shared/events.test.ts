// The list made of chosen and entered events.
import { chosenEvents } from '../../../nodes/CompanyRegistry/shared/events';

it.each([
	[['b', 'a', 'b'], 'c, a\nd', ['b', 'a', 'c', 'd']],
	['filing.new,psc.added', ['c', ' a '], ['filing.new', 'psc.added', 'c', 'a']],
	[undefined, ' ,\n; ', []],
	[[], 'c;d; e', ['c', 'd', 'e']],
	[null, 5, []],
	['watch.report Filing.New', 'Other.Event', ['filing.new', 'Other.Event']],
])('the events %j and %j make %j', (events, additional, expected) => {
	expect(chosenEvents(events, additional)).toEqual(expected);
});
