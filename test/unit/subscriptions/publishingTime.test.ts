import {
	noteEndOfAttempt,
	notePublished,
	publishDeadline,
} from '../../../nodes/CompanyRegistry/trigger/subscriptions/publishingTime';

const LIMIT = 75_000;
const START = Date.UTC(2026, 0, 1);

let owner: string;
let owners = 0;

beforeEach(() => {
	jest.useFakeTimers({ now: START, doNotFake: ['nextTick', 'setImmediate'] });
	owner = `workflow/node-${owners++}/production`;
});

afterEach(() => jest.useRealTimers());

function after(seconds: number): void {
	jest.setSystemTime(START + seconds * 1000);
}

describe('the time that n8n grants a publish', () => {
	it('runs from the first attempt, whatever n8n retries', () => {
		expect(publishDeadline(owner)).toBe(START + LIMIT);
		after(50);
		noteEndOfAttempt(owner);
		after(58);
		expect(publishDeadline(owner)).toBe(START + LIMIT);
	});

	it.each([
		['after a success', () => notePublished(owner), 1],
		['after a pause that n8n does not make', () => noteEndOfAttempt(owner), 13],
	])('begins anew %s', (_case, end, seconds) => {
		publishDeadline(owner);
		end();
		after(seconds);
		expect(publishDeadline(owner)).toBe(START + seconds * 1000 + LIMIT);
	});

	it('begins anew once n8n has stopped waiting, so that the user can publish again at once', () => {
		publishDeadline(owner);
		after(84);
		noteEndOfAttempt(owner);
		after(85);
		expect(publishDeadline(owner)).toBe(START + 85_000 + LIMIT);
	});

	it('is each trigger’s own', () => {
		publishDeadline(owner);
		after(5);
		expect(publishDeadline(`${owner}-other`)).toBe(START + 5_000 + LIMIT);
	});
});
