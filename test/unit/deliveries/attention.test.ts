// How often a refused delivery is looked at closely, and shown to the user.
import {
	hasVerifiedAny,
	hasVerifiedWebhook,
	mayHappen,
	noteVerified,
} from '../../../nodes/CompanyRegistry/trigger/deliveries/attention';
import type { TriggerIdentity } from '../../../nodes/CompanyRegistry/trigger/memory/identity';

const MINUTE = 60_000;

let number = 0;
let trigger: TriggerIdentity;
beforeEach(() => {
	jest.useFakeTimers();
	trigger = { workflow: `workflow ${++number}`, node: 'node', kind: 'production' };
});
afterEach(() => jest.useRealTimers());

it.each([
	['look', MINUTE],
	['failedExecution', 60 * MINUTE],
	['failedExecutionOfUnknown', 60 * MINUTE],
	['testLook', 1000],
] as const)('%s may happen once in %i milliseconds', (kind, pause) => {
	expect(mayHappen(kind, trigger)).toBe(true);
	expect(mayHappen(kind, trigger)).toBe(false);
	jest.advanceTimersByTime(pause - 1);
	expect(mayHappen(kind, trigger)).toBe(false);
	jest.advanceTimersByTime(1);
	expect(mayHappen(kind, trigger)).toBe(true);
	expect(mayHappen(kind, trigger)).toBe(false);
});

it('counts for each trigger by itself, and each kind by itself', () => {
	expect(mayHappen('failedExecution', trigger)).toBe(true);
	expect(mayHappen('failedExecutionOfUnknown', trigger)).toBe(true);
	expect(mayHappen('look', trigger)).toBe(true);
	expect(mayHappen('failedExecution', { ...trigger, node: 'other' })).toBe(true);
	expect(mayHappen('failedExecution', { ...trigger, workflow: 'other' })).toBe(true);
	expect(mayHappen('failedExecution', trigger)).toBe(false);
});

it('goes on when the clock was set back', () => {
	expect(mayHappen('failedExecution', trigger)).toBe(true);
	jest.setSystemTime(Date.now() - 24 * 60 * MINUTE);
	expect(mayHappen('failedExecution', trigger)).toBe(true);
	expect(mayHappen('failedExecution', trigger)).toBe(false);
});

it('knows which webhook and which trigger has delivered something genuine', () => {
	const reference = `reference ${number}`;
	expect(hasVerifiedWebhook(reference)).toBe(false);
	expect(hasVerifiedAny(trigger)).toBe(false);
	noteVerified(trigger, reference);
	expect(hasVerifiedWebhook(reference)).toBe(true);
	expect(hasVerifiedWebhook('another')).toBe(false);
	expect(hasVerifiedAny(trigger)).toBe(true);
	expect(hasVerifiedAny({ ...trigger, node: 'other' })).toBe(false);
});

it('remembers the last 10,000 triggers and 100,000 webhooks', () => {
	noteVerified(trigger, 'the first');
	expect(mayHappen('failedExecution', trigger)).toBe(true);
	for (let n = 1; n < 100_000; n++) {
		noteVerified({ ...trigger, node: String(n % 10_000) }, `${number}/${n}`);
	}
	for (let n = 1; n < 10_000; n++) mayHappen('failedExecution', { ...trigger, node: String(n) });
	expect(hasVerifiedWebhook('the first')).toBe(true);
	expect(mayHappen('failedExecution', trigger)).toBe(false);

	noteVerified(trigger, 'one more');
	mayHappen('failedExecution', { ...trigger, node: 'one more' });
	expect(hasVerifiedWebhook('the first')).toBe(false);
	expect(mayHappen('failedExecution', trigger)).toBe(true);
});
