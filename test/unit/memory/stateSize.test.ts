// How much a portfolio of thousands adds to a workflow's static data.
import { randomBytes } from 'node:crypto';

import {
	findByReference,
	writeState,
} from '../../../nodes/CompanyRegistry/trigger/memory/savedState';
import type { KnownWebhook } from '../../../nodes/CompanyRegistry/trigger/memory/webhookLines';
import { Store } from '../../simulator/store';

const COMPANIES = 2000;
const identity = {
	workflow: 'h7Tk2LmQw9ZxRb4v',
	node: '5f1d0c58-6b6d-4b43-9a8f-0d6a5d2c7e01',
	kind: 'production',
} as const;

/** With ids and secrets as long as the stand-in's. */
function knownWebhooks(count: number): KnownWebhook[] {
	const store = new Store();
	const account = store.addAccount();
	return Array.from({ length: count }, (_, index) => {
		const wanted = {
			url: 'https://n8n.example/webhook',
			company_number: String(10_000_000 + index),
			events: ['filing.new'],
		};
		const { id, secret, company_number } = store.create(account, wanted);
		const reference = randomBytes(16).toString('base64url');
		return { reference, company: company_number, id, secret, status: 'watched' };
	});
}

/** The workflow's static data as n8n saves it. */
function savedStaticData(webhooks: KnownWebhook[]): string {
	const global = {};
	writeState(global, identity, {
		published: true,
		url: 'https://n8n.example.com/webhook/0b9a4f6e-2c1d-4d57-8f0a-7f3b1c9e5d42/webhook',
		account: 'h7Tk2LmQw9ZxRb4v@https://registry.example.com',
		events: ['filing.new', 'officer.appointed', 'psc.added'],
		formerEvents: [],
		runId: randomBytes(9).toString('base64url'),
		webhooks,
		setAside: {},
		leftOut: [],
	});
	return JSON.stringify({ global });
}

test('the static data of 2,000 companies stays below 200 KB', () => {
	expect(Buffer.byteLength(savedStaticData(knownWebhooks(COMPANIES)))).toBeLessThan(200_000);
});

test('each further company costs the same, whatever there are already', () => {
	const webhooks = knownWebhooks(COMPANIES);
	const size = (count: number) => savedStaticData(webhooks.slice(0, count)).length;
	const perCompany = (size(2000) - size(1000)) / 1000;
	expect(perCompany).toBeCloseTo((size(1000) - size(500)) / 500, 0);
	expect(perCompany).toBeLessThan(100);
});

test('what is saved still holds every id and secret', () => {
	const webhooks = knownWebhooks(COMPANIES);
	const { global } = JSON.parse(savedStaticData(webhooks));
	const found = webhooks.map(
		({ reference }) => findByReference(global, identity, reference)?.webhook,
	);
	expect(found).toEqual(webhooks);
});
