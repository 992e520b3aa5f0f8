// What a user reads in n8n's editor after a common mistake.
// Takes long because the editor does.
import { E2E_TIMEOUT_MS } from '../surroundings';
import { companyNumbers, watcher } from '../reliability/watchers';
import { describeInBrowser } from './browser';
import { startEditor, type Editor } from './editor';

jest.setTimeout(E2E_TIMEOUT_MS);

describeInBrowser('what a person reads who', () => {
	let here: Editor;

	beforeAll(async () => {
		here = await startEditor();
	});
	afterAll(async () => await here?.stop());

	test('enters something other than a company number', async () => {
		const { editor } = here;
		await editor.addNode('On new filing');
		await editor.part('rlc-mode-selector').click();
		await editor.visibleOption('By Number').click();
		await editor.enter(editor.picker(), 'Acme Ltd');
		await editor.executeStep();
		const message = await editor.toast('Acme Ltd');
		expect(message).toContain('"Acme Ltd" is not a company number');
		expect(message).toContain('8 letters and digits, for example 99000001 or SC990001');
		expect(message).toContain('Leading zeros are optional');
		expect(here.simulator.webhooks()).toEqual([]);
	});

	test('reads the account with an API key', async () => {
		const { editor, page, simulator } = here;
		await editor.addNode('Get account usage');
		await page.getByText('Account operations need a session token').waitFor();
		simulator.clearRequests();
		await editor.executeStep();
		const output = await editor.output('Account operations need a session token, not an API key');
		expect(output).toContain("Choose a 'Company Registry Session API' credential");
		expect(simulator.requests).toEqual([]);
	});

	test('updates a webhook without a change', async () => {
		const { editor } = here;
		await editor.addNode('Update webhook');
		await editor.part('rlc-mode-selector').click();
		await editor.visibleOption('By ID').click();
		await editor.enter(editor.picker(), 'wh_1');
		await editor.executeStep();
		const output = await editor.output("'Update Fields' has nothing to change");
		expect(output).toContain("Add at least one field under 'Update Fields' and fill it in.");
	});

	test('publishes a list with entries that are no company numbers', async () => {
		const { client, credential, editor, simulator } = here;
		const file = watcher(credential, ['00445790', 'Acme Ltd', 'SC123456', '123456789']);
		const { id } = await client.createWorkflow(file);
		simulator.clearRequests();
		await editor.visit(`/workflow/${id}`);
		await editor.publish();
		const shown = await editor.toast('are not company numbers');
		expect(shown).toContain(
			'Nothing is watched: 3 of 5 companies are not company numbers: "Acme" (number 2)',
		);
		expect(shown).toContain('"123456789" (number 5)');
		expect(simulator.requests).toEqual([]);
	});

	test('publishes a list of which the service refuses some companies', async () => {
		const { client, credential, editor, simulator } = here;
		const refused = ['50000003', '50000007', '50000011'];
		const message = 'Dissolved companies cannot be watched';
		simulator.fault({
			method: 'POST',
			times: Infinity,
			when: ({ body }) => refused.some((company) => JSON.stringify(body).includes(company)),
			action: { status: 422, body: { error: 'dissolved', message, status: 422 } },
		});
		const { id } = await client.createWorkflow(watcher(credential, companyNumbers(20, 50_000_000)));
		await editor.visit(`/workflow/${id}`);
		await editor.publish();
		const shown = await editor.toast('could not be set up');
		expect(shown).toContain(
			'Nothing is watched: 3 companies could not be set up (17 of 20 succeeded)',
		);
		expect(shown).toContain(`${refused.join(', ')}: `);
		expect(shown).toContain(`The service said: "${message}"`);
		expect(shown).toContain("'Refused Companies' to 'Leave Out'");
		simulator.clearFaults();
	});

	test('has an old session token in the API key credential', async () => {
		const { client, credential, editor, simulator } = here;
		const { id, name, type } = credential;
		const data = { baseUrl: simulator.url, apiKey: 'eyJhbGciOiJIUzI1NiJ9.e30.old' };
		await client.session.request('PATCH', `/credentials/${id}`, { name, type, data });
		await editor.addNode('Search companies');
		await editor.enter(editor.field('query'), 'tessellate');
		await editor.executeStep();
		const output = await editor.output('The registry service did not accept the API key');
		expect(output).toContain("Session tokens go in the 'Company Registry Session API' credential");
		expect(output).toContain('The service said: "Missing or invalid Authorization header.');
		expect(output).toContain('Bearer ‹api key›');
	});
});
