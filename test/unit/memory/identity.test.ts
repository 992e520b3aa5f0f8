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

const listen = (workflow: TestWorkflow) =>
	identifyActivated(hookContext(workflow, { isTest: true }));

it('what n8n activates is a published workflow, or a test', () => {
	const workflow = load();
	expect(identifyActivated(hookContext(workflow))).toEqual(identityOf(workflow, 'production'));
	expect(listen(workflow)).toEqual(identityOf(workflow, 'test'));
});

describe('what n8n deactivates', () => {
	it.each<[string, (workflow: TestWorkflow) => unknown, TriggerIdentity['kind'] | undefined]>([
		['a test that listened in this process', listen, 'test'],
		['a test that is stored', (workflow) => store(workflow, true), 'test'],
		[
			'the published workflow alone, as it is stored',
			(workflow) => store(workflow, false),
			undefined,
		],
		[
			'the published workflow alone, as of this process',
			(workflow) => {
				memoryOf(identityOf(workflow, 'production')).url = urlOf(workflow, false);
			},
			undefined,
		],
		['nothing', () => undefined, 'production'],
	])('where it knows of %s, its URL tells', (_what, know, atTestUrl) => {
		const workflow = load();
		know(workflow);
		expect(deactivated(workflow, true)).toEqual(atTestUrl && identityOf(workflow, atTestUrl));
		expect(deactivated(workflow, false)).toEqual(identityOf(workflow, 'production'));
	});

	it.each<[string, Partial<NodeSetup>]>([
		['another host', { webhookBaseUrl: 'https://moved.example.com/hooks' }],
		['another path of the same n8n', { node: { webhookId: 'another' } }],
	])('is the published workflow at %s', (_where, setup) => {
		const workflow = load();
		store(workflow, false);
		const moved = load({ workflowId: workflow.workflow.id, ...setup });
		moved.workflow.staticData = workflow.workflow.staticData;
		expect(deactivated(moved, false)).toEqual(identityOf(workflow, 'production'));
	});
});
