// How long, and how often, what the service does not take is tried again.
import { RegistryFailure } from '../../../nodes/CompanyRegistry/registry/failure';
import { persevere } from '../../../nodes/CompanyRegistry/trigger/subscriptions/persevere';

const failed = (status: number) =>
	new RegistryFailure({ method: 'GET', credentialType: 'companyRegistryApi', token: '', status });
const DOWN = failed(503);
const MINUTE = 60;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

interface Course {
	/** What the attempt at this second throws, if anything. */
	at: (second: number) => unknown;
	/** At these attempts the service lets something through. */
	passesAt?: (second: number) => boolean;
	canPass?: () => boolean;
	abortsAt?: number;
}

/** The seconds at which it tried, and what came of it. */
async function run({ at, passesAt = () => false, canPass, abortsAt }: Course) {
	const began = Date.now();
	const aborting = new AbortController();
	const tries: number[] = [];
	let through = 0;
	const ended = persevere(
		async () => {
			const second = Math.round((Date.now() - began) / 1000);
			tries.push(second);
			if (passesAt(second)) through = Date.now();
			const reason = at(second);
			if (reason !== undefined) throw reason;
		},
		() => through,
		aborting.signal,
		canPass,
	);
	if (abortsAt !== undefined) setTimeout(() => aborting.abort(), abortsAt * 1000);
	await jest.advanceTimersByTimeAsync(6 * 3_600_000);
	return { tries, reason: await ended };
}

it('tries at once, then less and less often, and gives up after an hour', async () => {
	const { tries, reason } = await run({ at: () => DOWN });
	expect(tries.slice(0, 9)).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
	expect(tries.at(-1)).toBe(60 * MINUTE + 3);
	expect(tries).toHaveLength(66);
	expect(reason).toBe(DOWN);
});

it('begins anew, with its hour too, whenever the service lets something through', async () => {
	const { tries } = await run({ at: () => DOWN, passesAt: (second) => second === 183 });
	expect(tries.slice(8, 12)).toEqual([183, 184, 186, 190]);
	expect(tries.at(-1)).toBeGreaterThanOrEqual(63 * MINUTE);
	expect(tries.at(-1)).toBeLessThan(65 * MINUTE);
});

it.each<[string, Course, number[], unknown]>([
	['succeeds', { at: (second) => (second < 3 ? DOWN : undefined) }, [0, 1, 3], undefined],
	['will not pass', { at: (second) => (second < 3 ? DOWN : failed(402)) }, [0, 1, 3], failed(402)],
	['is not worth it', { at: () => DOWN, canPass: () => false }, [0], DOWN],
	['is not wanted any more', { at: () => DOWN, abortsAt: 2 }, [0, 1], undefined],
])('ends where it %s', async (_what, course, tries, reason) => {
	expect(await run(course)).toEqual({ tries, reason });
});
