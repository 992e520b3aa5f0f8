// The documented events, and the list made of chosen and entered events.
import { eventNames, eventOptions } from '../../../nodes/CompanyRegistry/shared/events';

describe('eventNames', () => {
	it.each([
		[['filing.new'], '', ['filing.new']],
		[[], ' psc.added ', ['psc.added']],
		[
			['filing.new'],
			'psc.added, filing.new\nofficer.appointed',
			['filing.new', 'psc.added', 'officer.appointed'],
		],
		[
			['b', 'a', 'b'],
			['c', ' a '],
			['b', 'a', 'c'],
		],
		['filing.new,psc.added', undefined, ['filing.new', 'psc.added']],
		[undefined, ' ,\n, ', []],
		[null, 5, []],
		[['Filing.New', 'PSC added'], 'Other.Event', ['filing.new', 'psc.added', 'Other.Event']],
		['New Filing, Other.Event', '', ['filing.new', 'Other.Event']],
	])('%j and %j make %j', (events, additional, expected) => {
		expect(eventNames(events, additional)).toEqual(expected);
	});
});

it('offers the events that the service documents', () => {
	expect(eventOptions.map(({ value }) => value)).toEqual([
		'filing.new',
		'officer.appointed',
		'psc.added',
	]);
});
