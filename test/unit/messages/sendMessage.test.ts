// Messages of all triggers of a workflow take turns: n8n saves what they store as a whole.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { OWN_ADDRESS } from '../../../nodes/CompanyRegistry/trigger/identity/destination';
import { TriggerMemory } from '../../../nodes/CompanyRegistry/trigger/memory/trigger';
import { newKey } from '../../../nodes/CompanyRegistry/trigger/messages/seal';
import { Messenger } from '../../../nodes/CompanyRegistry/trigger/messages/sendMessage';
import { hookContext, testWorkflow } from '../../support/contexts';

it('of several that wait, each begins once the one before it has its answer', async () => {
	const atOnce: number[] = [];
	let underWay = 0;
	const server = createServer((_request, response) => {
		atOnce.push(++underWay);
		setTimeout(() => {
			underWay--;
			response.end();
		}, 20);
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	OWN_ADDRESS.local = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const context = hookContext(testWorkflow({ nodeType: new CompanyRegistryTrigger() }));
	const messengers = ['one', 'two', 'three'].map((node) => {
		const memory = Object.assign(new TriggerMemory(), { key: newKey() });
		const identity = { workflow: 'w', node, kind: 'production' } as const;
		const url = `${OWN_ADDRESS.local}/webhook/${node}/events`;
		return new Messenger(context, identity, memory, url, new AbortController().signal);
	});

	const outcomes = await Promise.all(messengers.map(async (messenger) => await messenger.ask()));
	server.closeAllConnections();
	server.close();
	// Nobody takes them, so each is sent to both addresses.
	expect(outcomes.map(({ taken }) => taken)).toEqual([false, false, false]);
	expect(atOnce).toEqual([1, 1, 1, 1, 1, 1]);
});
