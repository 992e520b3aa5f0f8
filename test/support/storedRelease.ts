import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { exampleWorkflow } from '../n8n-host/exampleWorkflows';
import type { WorkflowFile } from '../n8n-host/n8nTypes';
import type { StoredWebhook } from '../simulator';
import { saved, startTriggerHarness, type TriggerHarness } from './triggerHarness';

/** What a user has of a published workflow when a newer version of the package is installed. */
export interface StoredRelease {
	/** As n8n exports it. */
	workflow: WorkflowFile & { id: string };
	/** The workflow's static data as n8n keeps it. */
	staticData: IDataObject;
	/** What the registry service holds. */
	webhooks: Array<Omit<StoredWebhook, 'account'>>;
}

const fixtures = join(__dirname, '../fixtures');
const parts = ['workflow', 'staticData', 'webhooks'] as const;
/** Where the service and n8n are in the files. */
const REGISTRY = 'https://registry.example.com';
const N8N = 'https://n8n.example.com';

const PUBLISHED_FIRST = ['00445790', 'SC123456', 'NI654321', '00000006'];
/** One less than first: its webhook is left paused. */
const PUBLISHED_LAST = PUBLISHED_FIRST.slice(0, 3);

/** Releases of which a fixture is kept: folders below `test/fixtures` that are named by a version. */
export function storedReleases(): string[] {
	return readdirSync(fixtures)
		.filter((name) => /^\d/.test(name))
		.sort();
}

/** Reads `test/fixtures/<release>`, with today's addresses. */
export function readStoredRelease(
	release: string,
	{ simulator, proxy }: TriggerHarness,
): StoredRelease {
	const read = (part: string): unknown => {
		const text = readFileSync(join(fixtures, release, `${part}.json`), 'utf8');
		return JSON.parse(text.replaceAll(REGISTRY, simulator.url).replaceAll(N8N, proxy.url));
	};
	return Object.fromEntries(parts.map((part) => [part, read(part)])) as unknown as StoredRelease;
}

/**
 * Writes `test/fixtures/<release>`: what a published workflow and the service hold under today's
 * code, for later versions to be tested against. Throws where there is one: what a release has written
 * never changes.
 */
export async function recordRelease(release: string): Promise<void> {
	const { nodes, ...example } = exampleWorkflow('alert-on-new-filings');
	// n8n gives a node its webhook path when it takes a workflow in.
	const node = { ...nodes[0], webhookId: '0b9a4f6e-2c1d-4d57-8f0a-7f3b1c9e5d42' };
	const workflowId = 'Yk3XpW0tVq8LmZ2a';
	const harness = await startTriggerHarness();
	const { simulator, proxy } = harness;
	const loaded = (companies: string[], events: string[], staticData = {}) =>
		harness.workflow({
			node: { ...node, parameters: { ...node.parameters, companies: rows(companies), events } },
			workflowId,
			staticData,
		});

	const first = loaded(PUBLISHED_FIRST, ['filing.new', 'officer.appointed']);
	await harness.publish(first);
	await harness.unpublish(first);
	const last = loaded(PUBLISHED_LAST, ['filing.new', 'psc.added'], saved(first));
	await harness.publish(last);

	const { parameters } = last.node;
	const stored: StoredRelease = {
		workflow: { ...example, id: workflowId, nodes: [{ ...node, parameters }, ...nodes.slice(1)] },
		staticData: saved(last),
		webhooks: simulator.webhooks().map((webhook) => omit(webhook, 'account')),
	};
	mkdirSync(join(fixtures, release));
	for (const part of parts) {
		const text = JSON.stringify(stored[part], null, 2);
		const moved = text.replaceAll(simulator.url, REGISTRY).replaceAll(proxy.url, N8N);
		writeFileSync(join(fixtures, release, `${part}.json`), `${moved}\n`);
	}
	await harness.close();
}

function rows(companies: string[]) {
	return {
		company: companies.map((value) => ({ companyNumber: { __rl: true, mode: 'number', value } })),
	};
}
