// What the service's documentation does not show, and another service of its kind may do otherwise.
import type { INodeParameters } from 'n8n-workflow';

import { searchWebhooks } from '../../../nodes/CompanyRegistry/listSearch/searchWebhooks';
import { openRegistry } from '../../../nodes/CompanyRegistry/registry/registry';
import { updateWebhook } from '../../../nodes/CompanyRegistry/registry/webhooks';
import { startSimulator, type Simulator } from '../../simulator';
import { createWebhook } from '../../simulator/client';
import { actionSetup, byId, byNumber, failureOf, runAction } from '../../support/actionNode';
import { hookContext, loadOptionsContext } from '../../support/contexts';
import { watch } from '../../support/savedWorkflow';

let simulator: Simulator;

beforeEach(async () => {
	simulator = await startSimulator();
});
afterEach(async () => {
	await simulator.close();
});

const run = async (operation: string, parameters: INodeParameters = {}) =>
	await runAction(simulator, { resource: 'webhook', operation, ...parameters });
const picker = () => loadOptionsContext(actionSetup(simulator, {}));

describe('numbers that come without their zeros', () => {
	beforeEach(async () => {
		await createWebhook(simulator, undefined, '00445790');
		await createWebhook(simulator, undefined, '99000002');
		simulator.differences = { withoutZeros: true };
	});

	it.each(['00445790', '445790', ' 0044 5790 '])(
		'are found by %j, and stay as received',
		async (n) => {
			const output = await run('getAll', { filters: { companyNumber: byNumber(n) } });
			expect(output.map(({ json }) => json.company_number)).toEqual(['445790']);
		},
	);

	it.each(['00445790', '445790', '0445790'])('are found in the list by %j', async (filter) => {
		const { results } = await searchWebhooks.call(picker(), filter);
		expect(results.map(({ name }) => name.split(' ')[0])).toEqual(['00445790']);
	});
});

describe.each([204, 200] as const)('an update answered %d without a body', (emptyUpdates) => {
	beforeEach(() => {
		simulator.differences = { emptyUpdates };
	});

	it.each<[string, INodeParameters, object]>([
		['pause', {}, { is_active: false }],
		['resume', {}, { is_active: true }],
		['update', { updateFields: { events: ['psc.added'] } }, { events: ['psc.added'] }],
	])('is a success: %s gives what is known', async (operation, parameters, sent) => {
		const { id } = await createWebhook(simulator);
		const output = await run(operation, { webhookId: byId(id), ...parameters });
		expect(output).toEqual([{ json: { id, ...sent }, pairedItem: { item: 0 } }]);
		expect(simulator.webhooks()[0]).toMatchObject(sent);
	});

	it('is a success for the trigger', async () => {
		const { id } = await createWebhook(simulator);
		const context = hookContext(watch(simulator, ['00445790']).load());
		const registry = await openRegistry(context);
		await updateWebhook(registry, id, { is_active: false });
		expect(simulator.requests.map(({ method }) => method)).toEqual(['POST', 'PATCH']);
		expect(simulator.webhooks()[0].is_active).toBe(false);
	});

	it('is none where something else is asked for', async () => {
		simulator.fault({ action: { status: emptyUpdates, raw: '' } });
		const error = await failureOf(run('getAll'));
		expect(error.httpCode).toBe(String(emptyUpdates));
	});
});

describe('a refusal that is answered 200', () => {
	beforeEach(() => {
		simulator.differences = { refusalsAs200: true };
	});

	it('is one, in its own words', async () => {
		const error = await failureOf(run('pause', { webhookId: byId('wh_unknown') }));
		expect(error.message).toBe('The registry service has nothing at this address');
		expect(error.description).toContain('The service said: "Webhook wh_unknown was not found"');
		expect(error.httpCode).toBe('404');
	});

	it('is one where any payload is taken', async () => {
		const error = await failureOf(
			runAction(simulator, {
				resource: 'company',
				operation: 'getRecord',
				companyNumber: '00445790',
				recordPath: 'nothing/{company_number}',
			}),
		);
		expect(error.httpCode).toBe('404');
	});

	it('is one for the trigger, which tells it from others by its status', async () => {
		const context = hookContext(watch(simulator, ['00445790']).load());
		const registry = await openRegistry(context);
		await expect(updateWebhook(registry, 'wh_unknown', { is_active: false })).rejects.toMatchObject(
			{
				status: 404,
			},
		);
	});

	it('is one when its own status is that of a success', async () => {
		const body = { error: 'no_such_event', message: 'Unknown event', status: 200, data: null };
		simulator.fault({ action: { status: 200, body } });
		const error = await failureOf(run('getAll'));
		expect(error.description).toContain('The service said: "Unknown event" (no_such_event)');
	});
});

describe("the credential's own value, repeated by the service", () => {
	const message = (key: string) => `No account for '${key}' (${encodeURIComponent(key)})`;

	it.each(['short', 'a.dotted.key', 'plain-words-only', 'with+plus/and=', '$&(.*)'])(
		'is left out whatever it looks like: %s',
		async (apiKey) => {
			const body = { error: apiKey, message: message(apiKey), status: 401 };
			simulator.fault({ times: Infinity, action: { status: 401, body } });
			const setting = { ...simulator, apiKey: ` ${apiKey} ` };
			const action = await failureOf(
				runAction(setting, { resource: 'webhook', operation: 'getAll' }),
			);
			const fromPicker = await failureOf(
				searchWebhooks.call(loadOptionsContext(actionSetup(setting, {}))),
			);
			for (const { description } of [action, fromPicker]) {
				expect(description).toContain(`The service said: "No account for '…' (…)" (…).`);
			}
		},
	);

	it('is left out of a session token, too', async () => {
		const body = { error: 'unauthorized', message: message('a.b.c'), status: 401 };
		simulator.fault({ action: { status: 401, body } });
		const error = await failureOf(
			runAction(
				{ ...simulator, sessionToken: 'a.b.c' },
				{ resource: 'webhook', operation: 'getAll', authentication: 'session' },
			),
		);
		expect(error.description).toContain("No account for '…'");
	});
});
