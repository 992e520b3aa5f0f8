import {
	expectCleanUp,
	identifyActivated,
	identifyDeactivated,
	takeCleanUp,
} from '../../../nodes/CompanyRegistry/trigger/subscriptions/activation';
import {
	writeState,
	type TriggerIdentity,
	type TriggerState,
} from '../../../nodes/CompanyRegistry/trigger/memory/knownWebhooks';
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

function stateOf(run: string, url = ''): TriggerState {
	return {
		published: true,
		url,
		account: '',
		events: [],
		formerEvents: [],
		run,
		webhooks: [],
		otherAccounts: {},
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

describe("n8n's clean-up after a failed publish", () => {
	const identity: TriggerIdentity = { workflow: 'cleaned', node: 'node', kind: 'production' };

	it('is expected once for each, of its trigger and with either of the states', () => {
		expectCleanUp(identity, stateOf('before'), stateOf('after'));
		expectCleanUp(identity, undefined, stateOf('later'));
		expect(takeCleanUp({ ...identity, node: 'another' }, stateOf('after'))).toBe(false);
		expect(takeCleanUp(identity, stateOf('unknown'))).toBe(false);
		expect(takeCleanUp(identity, stateOf('before'))).toBe(true);
		expect(takeCleanUp(identity, stateOf('after'))).toBe(false);
		expect(takeCleanUp(identity, undefined)).toBe(true);
		expect(takeCleanUp(identity, undefined)).toBe(false);
	});

	it('is expected of the last thousand', () => {
		const owners = Array.from({ length: 1001 }, (_, index) => ({
			...identity,
			node: `node ${index}`,
		}));
		for (const owner of owners.slice(0, 1000)) expectCleanUp(owner, undefined);
		expect(takeCleanUp(owners[0], undefined)).toBe(true);
		expectCleanUp(owners[0], undefined);
		expectCleanUp(owners[1000], undefined);
		expect(owners.filter((owner) => !takeCleanUp(owner, undefined))).toEqual([owners[1]]);
	});
});
