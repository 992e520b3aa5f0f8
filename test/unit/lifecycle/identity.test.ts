// How a trigger, its webhooks and n8n's address are told apart.
import {
	addressOf,
	addressProblem,
	newReference,
	readReference,
	withReference,
} from '../../../nodes/CompanyRegistry/trigger/lifecycle/identity';

// As n8n makes URLs: with the id that its editor gives a node, and without one for an imported node.
it.each([
	['/webhook/0d1f6a1e-5a52/webhook', '/webhook'],
	['/webhook/w1/company%20registry%20trigger/webhook', '/webhook'],
	['/webhook-test/w1/a%2Fb/webhook', '/webhook-test'],
	['/n8n/webhook-test/0d1f6a1e-5a52/webhook', '/n8n/webhook-test'],
	['/n8n/w1/hooks/w1/node/webhook', '/n8n/w1/hooks'],
])('n8n has the address of %s without the segments of the trigger', (path, address) => {
	const host = 'https://n8n.example.com';
	expect(addressOf(host + path, { workflow: 'w1' })).toBe(host + address);
});

it('a reference comes back from the query of a URL, and is always another', () => {
	const references = Array.from({ length: 100 }, newReference);
	expect(new Set(references).size).toBe(100);
	for (const one of references) {
		const { searchParams } = new URL(withReference('https://n8n.example.com/webhook', one));
		expect(readReference(Object.fromEntries(searchParams))).toBe(one);
	}
});

const TOO_SHORT = 'A'.repeat(21);

it.each([undefined, '', 1, [`${TOO_SHORT}A`], `${TOO_SHORT}\n`])('%j is no reference', (ref) => {
	expect(readReference({ ref })).toBe('');
});

it('n8n at a public address can be reached by the service', () => {
	const url = 'https://n8n.example.com/webhook';
	expect(addressProblem(url, 'https://registry.example.com')).toBeUndefined();
});
