// Whether n8n activates or deactivates a published trigger or a test.
import {
	identifyActivated,
	identifyDeactivated,
} from '../../../nodes/CompanyRegistry/trigger/memory/activatedTrigger';
import type { TriggerIdentity } from '../../../nodes/CompanyRegistry/trigger/memory/identity';
import {
	writeState,
	type TriggerState,
} from '../../../nodes/CompanyRegistry/trigger/memory/savedState';
import { hookContext, type TestWorkflow } from '../../support/contexts';
import { watch } from '../../support/savedWorkflow';

const load = () =>
	watch({ url: 'https://registry.example.com', apiKey: 'key' }, ['00445790']).load();
const storedOf = (workflow: TestWorkflow) => hookContext(workflow).getWorkflowStaticData('global');
const urlOf = (workflow: TestWorkflow, isTest: boolean) =>
	hookContext(workflow, { isTest }).getNodeWebhookUrl('default');
const identityOf = ({ workflow, node }: TestWorkflow, kind: TriggerIdentity['kind']) => ({
	workflow: workflow.id,
	node: node.id,
	kind,
});

/** n8n deletes a test's webhook and a published one with the same mode and activation. */
const deactivated = (workflow: TestWorkflow, isTest: boolean) =>
	identifyDeactivated(hookContext(workflow, { isTest, activation: 'update' }));

function stateOf(runId: string, url = ''): TriggerState {
	return {
		published: true,
		url,
		account: '',
		events: [],
		formerEvents: [],
		runId,
		webhooks: [],
		setAside: {},
		leftOut: [],
	};
}

describe('what n8n activates', () => {
	it.each([
		['a published workflow', false, 'production'],
		['a test', true, 'test'],
	] as const)('is %s', (_what, isTest, kind) => {
		const workflow = load();
		expect(identifyActivated(hookContext(workflow, { isTest }))).toEqual(
			identityOf(workflow, kind),
		);
	});
});

describe('what n8n deactivates', () => {
	it('is the published workflow where no test is known', () => {
		const workflow = load();
		expect(deactivated(workflow, false)).toEqual(identityOf(workflow, 'production'));
		writeState(
			storedOf(workflow),
			identityOf(workflow, 'production'),
			stateOf('run', urlOf(workflow, false)),
		);
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
		writeState(
			storedOf(workflow),
			identityOf(workflow, 'test'),
			stateOf('run', urlOf(workflow, true)),
		);
		expect(deactivated(workflow, true)).toEqual(identityOf(workflow, 'test'));
		expect(deactivated(workflow, false)).toEqual(identityOf(workflow, 'production'));
	});
});
