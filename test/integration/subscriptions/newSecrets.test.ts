// A trigger that takes the place of another has secrets of its own.
import { randomUUID } from 'node:crypto';

import { startTriggerHarness, watching, type TriggerHarness } from '../../support/triggerHarness';

const COMPANY = '00445790';

let harness: TriggerHarness;

beforeEach(async () => {
	harness = await startTriggerHarness();
});
afterEach(async () => await harness.close());

// The way out that SECURITY.md gives for a secret that has become known.
it('a trigger node put in the place of another gets secrets of its own, and the old ones open nothing', async () => {
	const { simulator, proxy } = harness;
	const node = () => ({ id: randomUUID(), webhookId: randomUUID(), parameters: watching(COMPANY) });
	const before = harness.workflow({ node: node() });
	await harness.publish(before);
	const [leaked] = simulator.webhooks();
	await harness.unpublish(before);

	const { staticData } = before.workflow;
	const after = harness.workflow({ node: node(), staticData });
	await harness.publish(after);
	const [old, current] = simulator.webhooks();
	expect(old).toEqual({ ...leaked, is_active: false });
	expect(current.secret).not.toBe(leaked.secret);

	const executions = harness.serve(after);
	const deliver = async (url: string, secret: string) =>
		await simulator.deliver(current.id, { event: 'filing.new', ca: proxy.ca, url, secret });
	expect((await deliver(leaked.url, leaked.secret)).status).toBe(404);
	expect(executions).toEqual([]);
	expect((await deliver(current.url, current.secret)).status).toBe(200);
	expect((await deliver(current.url, leaked.secret)).status).toBe(401);
	expect(executions).toHaveLength(1);
});
