// What n8n's editor shows of a delivery that cannot be verified: in a test, and after publishing.
import type { DeliveryRequest } from '../../simulator';
import { E2E_TIMEOUT_MS } from '../surroundings';
import { describeInBrowser } from './browser';
import { startEditor, type Editor } from './editor';
import { screenshot } from './screenshots';

jest.setTimeout(E2E_TIMEOUT_MS);

/** Signed with the webhook's secret in a way that is not recognised. */
const UNRECOGNISED: DeliveryRequest = {
	custom: {
		header: 'X-Foo-Seal',
		prefix: 'v3=',
		content: '{id}:{timestamp}:{body}',
		timestampHeader: 'X-Foo-Sent-At',
		idHeader: 'X-Foo-Call',
	},
};

// One workflow: tested, then published.
describeInBrowser('a delivery that cannot be verified', () => {
	let here: Editor;

	beforeAll(async () => {
		here = await startEditor();
		const { editor } = here;
		await editor.addNode('On new filing');
		await editor.pick(editor.picker(), 'tess', 'TESSELLATE STORES PLC');
		await editor.addOption('Test Event');
		await editor.choose('testEvent', 'Next Real Event');
	});
	afterAll(async () => await here?.stop());

	/** Delivers to the webhook that is active. */
	async function deliver(): Promise<number> {
		const { simulator, ca } = here;
		const active = simulator.webhooks().find(({ is_active }) => is_active);
		return (await simulator.deliver(String(active?.id), { ca, ...UNRECOGNISED })).status;
	}

	test('ends the test, and the editor says what to enter', async () => {
		const { editor, page } = here;
		await editor.executeStep();
		await page.getByText('Listening for test event').waitFor();
		expect(await deliver()).toBe(500);

		const output = await editor.output('is genuine, but signed in a way that is not recognised');
		expect(output).toContain('A delivery for company 99000001');
		expect(output).toContain('X-Foo-Seal');
		expect(output).toContain('{id}:{timestamp}:{body}');
		await screenshot(page, 'unverified-in-test');
	});

	test('is a failed execution of the published workflow', async () => {
		const { editor, page } = here;
		await editor.closeNode();
		await editor.publish();
		await editor.part('activation-modal').getByText('Got it').click();
		await editor.part('workflow-active-version-indicator').waitFor();
		expect(await deliver()).toBe(500);
		expect(await deliver()).toBe(401);

		await editor.part('radio-button-executions').click();
		const executions = editor.part('current-executions-list').getByText('Error');
		await executions.nth(1).waitFor();
		// The test run is the other one.
		expect(await executions.count()).toBe(2);
		expect(await editor.toast('is genuine')).toContain('A delivery for company 99000001');
		await editor.part('canvas-node').first().dblclick();
		expect(await editor.output('is genuine')).toContain('X-Foo-Seal');
		await screenshot(page, 'unverified-in-production');
	});
});
