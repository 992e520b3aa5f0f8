// Whether n8n activates or deactivates a published trigger or a test.
import {
	identifyActivated,
	identifyDeactivated,
} from '../../../nodes/CompanyRegistry/trigger/memory/identity';
import type { TriggerIdentity } from '../../../nodes/CompanyRegistry/trigger/memory/state';
import { writeState } from '../../../nodes/CompanyRegistry/trigger/memory/state';
import { memoryOf } from '../../../nodes/CompanyRegistry/trigger/memory/trigger';
import { hookContext, type NodeSetup, type TestWorkflow } from '../../support/contexts';
import { watch } from '../../support/savedWorkflow';

const load = (setup: Partial<NodeSetup> = {}) =>
	watch({ url: 'https://registry.example.com', apiKey: 'key' }, ['00445790'], setup).load();
const urlOf = (workflow: TestWorkflow, isTest: boolean) =>
	hookContext(workflow, { isTest }).getNodeWebhookUrl('default') ?? '';
const identityOf = (
	{ workflow, node }: TestWorkflow,
	kind: TriggerIdentity['kind'],
): TriggerIdentity => ({ workflow: workflow.id, node: node.id, kind });

/** n8n deletes a test's webhook and a published one with the same mode and activation. */
const deactivated = (workflow: TestWorkflow, isTest: boolean) =>
	identifyDeactivated(hookContext(workflow, { isTest, activation: 'update' }));

function store(workflow: TestWorkflow, isTest: boolean): void {
	writeState(
		hookContext(workflow).getWorkflowStaticData('global'),
		identityOf(workflow, isTest ? 'test' : 'production'),
		{
			writtenAt: 1,
			published: true,
			url: urlOf(workflow, isTest),
			events: [],
			refused: [],
			groups: [],
		},
	);
}

it.each([
	['a published workflow', false, 'production'],
	['a test', true, 'test'],
] as const)('what n8n activates is %s', (_what, isTest, kind) => {
	const workflow = load();
	expect(identifyActivated(hookContext(workflow, { isTest }))).toEqual(identityOf(workflow, kind));
});

describe('what n8n deactivates', () => {
	it('is the published workflow, whether it is stored or not', () => {
		const workflow = load();
		expect(deactivated(workflow, false)).toEqual(identityOf(workflow, 'production'));
		store(workflow, false);
		expect(deactivated(workflow, false)).toEqual(identityOf(workflow, 'production'));
	});

	it('is the test where its URL is the one that listened in this process', () => {
		const workflow = load();
		identifyActivated(hookContext(workflow, { isTest: true }));
		expect(deactivated(workflow, true)).toEqual(identityOf(workflow, 'test'));
		expect(deactivated(workflow, false)).toEqual(identityOf(workflow, 'production'));
	});

	it('is the test too where only the static data knows of it', () => {
		const workflow = load();
		store(workflow, true);
		expect(deactivated(workflow, true)).toEqual(identityOf(workflow, 'test'));
		expect(deactivated(workflow, false)).toEqual(identityOf(workflow, 'production'));
	});

	it.each([
		['stored', (workflow: TestWorkflow) => store(workflow, false)],
		[
			'published in this process',
			(workflow: TestWorkflow) => {
				memoryOf(identityOf(workflow, 'production')).url = urlOf(workflow, false);
			},
		],
	])('is unknown at the test URL of another process, beside what is %s', (_what, know) => {
		const workflow = load();
		know(workflow);
		expect(deactivated(workflow, true)).toBeUndefined();
		expect(deactivated(workflow, false)).toEqual(identityOf(workflow, 'production'));
	});

	it('is the published workflow at another host, and at another path of the same n8n', () => {
		const workflow = load();
		store(workflow, false);
		for (const setup of [
			{ webhookBaseUrl: 'https://moved.example.com/hooks' },
			{ node: { webhookId: 'another' } },
		]) {
			const moved = load({ workflowId: workflow.workflow.id, ...setup });
			moved.workflow.staticData = workflow.workflow.staticData;
			expect(deactivated(moved, false)).toEqual(identityOf(workflow, 'production'));
		}
	});
});
