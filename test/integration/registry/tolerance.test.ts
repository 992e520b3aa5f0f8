// Undocumented answers of the service: none of them loses a secret, hides a webhook or reveals a key.
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { searchCompanies, searchWebhooks } from '../../../nodes/CompanyRegistry/listSearch';
import type { FaultAction } from '../../simulator';
import { createWebhook } from '../../simulator/client';
import { actionSetup, byId, byNumber, failureOf, runAction } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';
import { loadOptionsContext, runWithHints, testWorkflow } from '../../support/contexts';

const simulator = serviceForEachTest();

const run = async (operation: string, parameters: INodeParameters = {}) =>
	await runAction(simulator, { resource: 'webhook', operation, ...parameters });
const jsonOf = (output: INodeExecutionData[]) => output.map(({ json }) => json);
const picker = () => loadOptionsContext(actionSetup(simulator, {}));

const row = { id: 'wh_1', company_number: '00445790', events: ['filing.new'], is_active: true };

it('a company number without leading zeros is found in the list', async () => {
	const other = { ...row, id: 'wh_2', company_number: '99000002' };
	const data = [{ ...row, company_number: '445790' }, other];
	simulator.fault({ times: Infinity, action: { status: 200, body: { data } } });
	const output = await run('getAll', { filters: { companyNumber: byNumber('00445790') } });
	expect(output.map(({ json }) => json.company_number)).toEqual(['445790']);
	const { results } = await searchWebhooks.call(picker(), '00445790');
	expect(results.map(({ name }) => name.split(' ')[0])).toEqual(['00445790']);
});

it('an error object with status 200 fails Pause', async () => {
	const body = { error: 'unknown', message: 'There is none', status: 404 };
	simulator.fault({ action: { status: 200, body } });
	const error = await failureOf(run('pause', { webhookId: byId('wh_1') }));
	expect(error.description).toContain('There is none');
});

// test/unit/registry/failure.test.ts has the forms of tokens.
it.each([
	['apiKey', '$&(.*)'],
	['session', 'a.b.c'],
])('a token that the service repeats is in no error: %s', async (authentication, token) => {
	Object.assign(simulator, { apiKey: ` ${token} `, sessionToken: ` ${token} ` });
	const body = { error: token, message: `No account for '${token}'`, status: 401 };
	simulator.fault({ times: Infinity, action: { status: 401, body } });
	const parameters = { resource: 'webhook', operation: 'getAll', authentication };
	const context = loadOptionsContext(actionSetup(simulator, parameters));
	for (const { name, description } of [
		await failureOf(runAction(simulator, parameters)),
		await failureOf(searchWebhooks.call(context)),
		await failureOf(searchCompanies.call(context, 'euler')),
	]) {
		expect(name).toBe('NodeApiError');
		expect(description).toContain(`The service said: "No account for '…'" (…).`);
	}
});

const CREATE: INodeParameters = {
	companyNumber: byNumber('00445790'),
	url: 'https://example.com/',
	options: { alreadyWatched: 'another' },
};
const create = async () => jsonOf(await run('create', CREATE));

describe('an answer to Create', () => {
	it.each<[string, object, object]>([
		['without is_active', { data: { id: 'wh_1', secret: 's' } }, { id: 'wh_1', secret: 's' }],
		['with a numeric id', { data: { ...row, id: 7, secret: 's' } }, { id: '7', secret: 's' }],
		['with events as a text', { data: { ...row, events: 'all', secret: 's' } }, { id: 'wh_1' }],
	])('%s yields the secret', async (_what, body, expected) => {
		simulator.fault({ action: { status: 201, body } });
		expect(await create()).toMatchObject([expected]);
	});

	it.each([{ data: row }, { data: { ...row, secret: '' } }])(
		'without a secret fails and names the webhook: %j',
		async (body) => {
			simulator.fault({ action: { status: 200, body } });
			const { message, description } = await failureOf(create());
			expect(message).toBe('The service sent no signing secret for the webhook wh_1');
			expect(description).toContain("Check it with 'Get'");
		},
	);
});

it('the list keeps readable rows and unknown fields, and a hint counts the other rows', async () => {
	const data = [{ ...row, company_number: null }, row, { ...row, id: 2, new: 1 }, 'row'];
	simulator.fault({ action: { status: 200, body: { data } } });
	const setup = actionSetup(simulator, { resource: 'webhook', operation: 'getAll' });
	const { output, hints } = await runWithHints(testWorkflow(setup));
	expect(jsonOf(output)).toEqual([row, { ...row, id: '2', new: 1 }]);
	expect(hints[0].message).toContain('could not read (2)');
});

it.each<[string, FaultAction]>([
	['without a body', { status: 204, raw: '' }],
	['with success in an envelope', { status: 200, body: { data: { success: true } } }],
	['with a text', { status: 200, body: 'OK' }],
])('an answer to Pause %s counts as success', async (_what, action) => {
	const { id } = await createWebhook(simulator);
	simulator.fault({ action });
	const output = jsonOf(await run('pause', { webhookId: byId(id) }));
	const note = expect.stringContaining('resumes it');
	expect(output).toEqual([{ id, is_active: false, note }]);
});
