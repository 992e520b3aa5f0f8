// The account operations and their session token.
import { failureOf, runAction } from '../../support/actionNode';
import { serviceForEachTest } from '../../support/atService';

const simulator = serviceForEachTest();

const session = { authentication: 'session', resource: 'account' };

it.each([
	['getUsage', '/v1/usage'],
	['getKeys', '/v1/keys'],
])('%s returns the payload as received', async (operation, path) => {
	await runAction(simulator, { ...session, operation });
	expect(simulator.requests).toMatchObject([{ method: 'GET', path, status: 200 }]);
	const payloads = [{ odd: [1, { a: null }] }, { items: [], used: 5 }, { items: [{ a: 1 }] }];
	for (const data of payloads) {
		simulator.fault({ action: { status: 200, body: { data } } });
		const output = await runAction(simulator, { ...session, operation });
		expect(output).toEqual([{ json: data, pairedItem: { item: 0 } }]);
	}
	simulator.fault({ action: { status: 200, body: { data: [{ a: 1 }, { b: 2 }] } } });
	const output = await runAction(simulator, { ...session, operation });
	expect(output.map(({ json }) => json)).toEqual([{ data: [{ a: 1 }, { b: 2 }] }]);
});

it('the node sends no API key to an account route', async () => {
	const parameters = { authentication: 'apiKey', resource: 'account', operation: 'getKeys' };
	const error = await failureOf(runAction(simulator, parameters));
	expect(error.message).toBe('Account operations need a session token, not an API key');
	expect(error.description).toContain("'Company Registry Session API'");
	expect(simulator.requests).toEqual([]);
});
