// The example serve-a-list with a data table, and a trigger that follows it.
// Takes a minute because the trigger's next check does.
import { waitFor } from '../../n8n-host/waitFor';
import { companiesOf } from '../../support/atService';
import { newTriggerId, TRIGGER, watcher } from '../reliability/watchers';
import { createTable, findTable } from './dataTables';
import { deliverTo, importExample, jsonOf, surroundings } from './importedExample';

const HEADER = { name: 'X-List-Key', value: 'of-the-tests' };

it('serve-a-list: a row is added to the table, and the trigger watches its company after the next check, without a publish', async () => {
	const { client, host } = surroundings;
	const tableId = await createTable(client, 'Clients', [
		{ company_number: '99000001', client: 'Tessellate Stores plc', partner: 'jd@example.com' },
		{ company_number: '445790', client: 'Étoile & Söhne Ltd', partner: '' },
	]);
	const filledIn = { 'Read Table': { dataTableId: { __rl: true, mode: 'list', value: tableId } } };
	const example = await importExample('serve-a-list', { filledIn });
	const { workflow: server, credential, webhooks } = example;
	const key = await client.createCredential({ name: 'Key', type: 'httpHeaderAuth', data: HEADER });
	const credentials = { httpHeaderAuth: { id: key.id, name: key.name } };
	const nodes = server.nodes.map((node) =>
		node.name === 'Webhook' ? { ...node, credentials } : node,
	);
	await client.publishChanges(server.id, { nodes });

	const url = `${host.url}/webhook/company-list`;
	expect((await fetch(url)).status).toBe(403);
	const answer = await fetch(url, { headers: { [HEADER.name]: HEADER.value } });
	expect(await answer.json()).toEqual([
		{ company_number: '99000001', client: 'Tessellate Stores plc', partner: 'jd@example.com' },
		{ company_number: '445790', client: 'Étoile & Söhne Ltd', partner: '' },
	]);

	const list = await client.createCredential({
		name: 'List',
		type: 'companyRegistryListApi',
		data: { url, headerName: HEADER.name, headerValue: HEADER.value },
	});
	const followed = { companiesFrom: 'link', options: { checkEvery: 'tenMinutes' } };
	// Its next check is due soon, yet after its publish.
	const triggerId = newTriggerId('tenMinutes', [40, 115]);
	const follower = watcher(credential, [], followed, triggerId);
	Object.assign(follower.nodes[0].credentials ?? {}, {
		[list.type]: { id: list.id, name: list.name },
	});
	const { id, versionId } = await client.createWorkflow(follower);
	await client.listenForTestEvent(id, TRIGGER);
	const [sample] = jsonOf(await client.waitForNextExecution(id), TRIGGER);
	expect((sample.preview as string[])[0]).toBe('Publishing will watch 2 companies');
	await client.waitUntilPublished(id);
	const watched = () => companiesOf(webhooks().filter(({ is_active }) => is_active));
	expect(watched()).toEqual(['00445790', '99000001']);

	const table = await findTable(client, 'Clients');
	await table.insert([{ company_number: 'SC993456', client: 'Glen Orrin Ltd', partner: '' }]);
	const all = ['00445790', '99000001', 'SC993456'];
	await waitFor('the new company', () => watched().join() === all.join(), {
		timeoutMs: 300_000,
	});
	const following = await client.workflow(id);
	expect(following.versionId).toBe(versionId);
	const execution = await deliverTo({ ...example, workflow: following }, 'SC993456', {});
	const [event] = jsonOf(execution, TRIGGER);
	expect(event.list_columns).toMatchObject({ client: 'Glen Orrin Ltd' });
	await client.waitUntilUnpublished(id);
});
