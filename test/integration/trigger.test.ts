// One trigger from publish to unpublish, as short as it can be told.
import {
	saved,
	startTriggerHarness,
	watching,
	type TriggerHarness,
} from '../support/triggerHarness';

let harness: TriggerHarness;

beforeEach(async () => {
	harness = await startTriggerHarness();
});
afterEach(async () => {
	await harness.close();
});

describe('Company Registry Trigger', () => {
	it('subscribes each company once when it is published', async () => {
		const workflow = harness.workflow({ parameters: watching('445790', 'sc1234', '00445790') });
		await harness.publish(workflow);

		const webhooks = harness.simulator.webhooks();
		expect(webhooks.map(({ company_number }) => company_number).sort()).toEqual([
			'00445790',
			'SC001234',
		]);
		for (const webhook of webhooks) {
			expect(webhook).toMatchObject({ is_active: true, events: ['filing.new'] });
			expect(webhook.url).toMatch(/^https:\/\/localhost:\d+\/webhook\/[^?]+\?ref=[\w-]{22}$/);
		}
		expect(harness.simulator.requests).toHaveLength(1 + 2);
		expect(workflow.credentials.reads).toBe(1);
	});

	it('starts the workflow with the documented output', async () => {
		const parameters = watching('99000001\tTessellate Stores plc');
		const workflow = harness.workflow({ parameters });
		await harness.publish(workflow);
		const executions = harness.serve(harness.workflow({ parameters, staticData: saved(workflow) }));
		const [{ id }] = harness.simulator.webhooks();

		const payload = { event: 'filing.new', company_number: '99000001', filing: { type: 'AA' } };
		const result = await harness.simulator.deliver(id, {
			payload,
			deliveryId: 'evt_1',
			ca: harness.proxy.ca,
		});

		expect(result.status).toBe(200);
		expect(executions).toEqual([
			[
				{
					json: {
						event: 'filing.new',
						event_name: 'New Filing',
						company_number: '99000001',
						company_name: 'Tessellate Stores plc',
						webhook_id: id,
						delivery_id: 'evt_1',
						received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
						payload,
					},
				},
			],
		]);
	});

	it('pauses on unpublish and resumes the same webhook with the same secret', async () => {
		const first = harness.workflow({ parameters: watching('00445790') });
		await harness.publish(first);
		const [before] = harness.simulator.webhooks();
		const second = harness.workflow({ parameters: watching('00445790'), staticData: saved(first) });
		await harness.unpublish(second);
		expect(harness.simulator.webhooks()).toMatchObject([{ id: before.id, is_active: false }]);

		const third = harness.workflow({ parameters: watching('00445790'), staticData: saved(second) });
		await harness.publish(third);
		expect(harness.simulator.webhooks()).toEqual([before]);
	});

	it('answers a forged delivery with 401 and an unknown reference with 503, and runs nothing', async () => {
		const workflow = harness.workflow({ parameters: watching('00445790') });
		await harness.publish(workflow);
		const executions = harness.serve(workflow);
		const [{ id, url }] = harness.simulator.webhooks();
		const { ca } = harness.proxy;
		expect(await harness.simulator.deliver(id, { ca })).toMatchObject({ status: 200 });

		const forged = await harness.simulator.deliver(id, { secret: 'whsec_AAAA', ca });
		expect(forged.status).toBe(401);
		expect(JSON.parse(forged.body)).toEqual({
			error: 'unauthorized',
			message: "The delivery's signature is wrong.",
			status: 401,
		});
		const unknown = await harness.simulator.deliver(id, {
			url: url.slice(0, -22) + 'A'.repeat(22),
			ca,
		});
		expect(unknown.status).toBe(503);
		expect(unknown.headers['retry-after']).toBe('30');
		expect(executions).toHaveLength(1);
	});
});
