import { NodeHelpers, type INodePropertyOptions } from 'n8n-workflow';

import { CompanyRegistry } from '../../nodes/CompanyRegistry/CompanyRegistry.node';
import { startSimulator, type Simulator } from '../simulator';
import { failureOf, runAction } from '../support/actionNode';
import { testWorkflow } from '../support/contexts';

let simulator: Simulator;

beforeEach(async () => {
	simulator = await startSimulator();
});
afterEach(async () => {
	await simulator.close();
});

const session = { authentication: 'session', resource: 'account' };

it.each([
	['getUsage', '/v1/usage'],
	['getKeys', '/v1/keys'],
])('%s passes the payload on as received', async (operation, path) => {
	simulator.fault({ action: { status: 200, body: { data: { odd: [1, { a: null }] } } } });
	const output = await runAction(simulator, { ...session, operation });
	expect(output).toEqual([{ json: { odd: [1, { a: null }] }, pairedItem: { item: 0 } }]);
	expect(simulator.requests).toMatchObject([{ method: 'GET', path }]);
});

it('works with the session token of the stand-in service', async () => {
	await runAction(simulator, { ...session, operation: 'getUsage' });
	await runAction(simulator, { ...session, operation: 'getKeys' });
	expect(simulator.requests.map(({ status }) => status)).toEqual([200, 200]);
});

it('the session token serves companies and webhooks as well', async () => {
	const parameters = { authentication: 'session', resource: 'company', operation: 'search' };
	const output = await runAction(simulator, { ...parameters, query: 'tessellate' });
	expect(output).toHaveLength(2);
});

it('an API key is never sent to an account route', async () => {
	const parameters = { authentication: 'apiKey', resource: 'account', operation: 'getKeys' };
	const error = await failureOf(runAction(simulator, parameters));
	expect(error.message).toBe('Account operations need a session token, not an API key');
	expect(error.description).toContain("'Company Registry Session API'");
	expect(simulator.requests).toEqual([]);
});

it('offers the account with a session token only', () => {
	const nodeType = new CompanyRegistry();
	const resourcesWith = (authentication: string) => {
		const { node } = testWorkflow({ nodeType, parameters: { authentication } });
		const shown = nodeType.description.properties.filter(
			(property) =>
				property.name === 'resource' &&
				NodeHelpers.displayParameter(node.parameters, property, node, nodeType.description),
		);
		return shown.flatMap(({ options = [] }) =>
			(options as INodePropertyOptions[]).map(({ value }) => value),
		);
	};
	expect(resourcesWith('apiKey')).toEqual(['company', 'webhook']);
	expect(resourcesWith('session')).toEqual(['account', 'company', 'webhook']);
});

it('says that the session has to be renewed when it is not accepted', async () => {
	simulator.sessionToken = 'old.session.token';
	const error = await failureOf(runAction(simulator, { ...session, operation: 'getUsage' }));
	expect(error.message).toBe('The registry service did not accept the session token');
	expect(error.description).toContain('Log in to the service again');
});
