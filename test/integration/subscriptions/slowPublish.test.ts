import {
	saved,
	startTriggerHarness,
	watching,
	type TriggerHarness,
} from '../../support/triggerHarness';

let harness: TriggerHarness;

beforeEach(async () => {
	harness = await startTriggerHarness();
});
afterEach(async () => {
	jest.restoreAllMocks();
	await harness.close();
});

const companies = Array.from({ length: 30 }, (_, index) => String(10_000_000 + index));

/** From that many requests on, it is 80 seconds later. */
function slowFrom(requests: number): void {
	const realNow = Date.now.bind(Date);
	jest
		.spyOn(Date, 'now')
		.mockImplementation(
			() => realNow() + (harness.simulator.requests.length >= requests ? 80_000 : 0),
		);
}

it('a publish that the service asks to wait for longer than n8n does fails at once, and says so', async () => {
	const realNow = Date.now.bind(Date);
	const { simulator } = harness;
	jest
		.spyOn(Date, 'now')
		.mockImplementation(() => realNow() + (simulator.requests.length > 0 ? 50_000 : 0));
	simulator.fault({ times: Infinity, action: { status: 429, headers: { 'Retry-After': '30' } } });
	const workflow = harness.workflow({ parameters: watching(...companies) });
	await expect(harness.publish(workflow)).rejects.toThrow(
		/\(0 of 30 succeeded\)\. The registry service received too many requests\. .*Publishing takes longer than n8n waits for it\. What is set up stays set up: publish again/,
	);
});

it.each([
	['on the way', 15],
	['with its last request', companies.length],
])(
	'a publish that n8n has stopped waiting for %s fails, is paused, and is gone on with',
	async (_case, requests) => {
		const workflow = harness.workflow({ parameters: watching(...companies) });
		slowFrom(requests);

		await expect(harness.publish(workflow)).rejects.toThrow(
			/^The webhooks could not be set up \(\d+ of 30 succeeded\)\. Publishing takes longer than n8n waits for it\. What is set up stays set up: publish again/,
		);
		await harness.unpublish(workflow);
		const left = harness.simulator.webhooks();
		expect(left.length).toBeGreaterThanOrEqual(requests);
		expect(left.filter(({ is_active }) => is_active)).toEqual([]);

		jest.restoreAllMocks();
		await harness.publish(
			harness.workflow({ parameters: watching(...companies), staticData: saved(workflow) }),
		);
		const now = harness.simulator.webhooks();
		expect(now.map(({ company_number }) => company_number).sort()).toEqual(companies);
		expect(now.every(({ is_active }) => is_active)).toBe(true);
		expect(now.slice(0, left.length).map(({ id }) => id)).toEqual(left.map(({ id }) => id));
	},
);
