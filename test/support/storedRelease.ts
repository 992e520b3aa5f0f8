import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import type { WorkflowFile } from '../n8n-host/n8nTypes';
import type { StoredWebhook } from '../simulator';

/** What a user has of a published workflow when a newer version of the package is installed. */
export interface StoredRelease {
	/** As n8n exports it. */
	workflow: WorkflowFile & { id: string };
	/** The workflow's static data as n8n keeps it. */
	staticData: IDataObject;
	/** What the registry service holds. */
	webhooks: Array<Omit<StoredWebhook, 'account'>>;
}

/** Where the service and n8n are. In files both have made-up addresses. */
export interface Addresses {
	registry: string;
	n8n: string;
}

const fixtures = join(__dirname, '../fixtures');
const parts = ['workflow', 'staticData', 'webhooks'] as const;
const filed: Addresses = {
	registry: 'https://registry.example.com',
	n8n: 'https://n8n.example.com',
};

/** Releases of which a fixture is kept: folders below `test/fixtures`. */
export function storedReleases(): string[] {
	return readdirSync(fixtures).sort();
}

/** Reads `test/fixtures/<release>`, with today's addresses. */
export function readStoredRelease(release: string, addresses: Addresses): StoredRelease {
	const read = (part: string): unknown =>
		JSON.parse(moved(readFileSync(fileOf(release, part), 'utf8'), filed, addresses));
	return Object.fromEntries(parts.map((part) => [part, read(part)])) as unknown as StoredRelease;
}

/** Writes a fixture. Throws where there is one: what a release has written never changes. */
export function writeStoredRelease(
	release: string,
	stored: StoredRelease,
	addresses: Addresses,
): void {
	if (existsSync(join(fixtures, release)))
		throw new Error(`There is a fixture of ${release} already`);
	mkdirSync(join(fixtures, release), { recursive: true });
	for (const part of parts) {
		const text = JSON.stringify(stored[part], null, 2);
		writeFileSync(fileOf(release, part), `${moved(text, addresses, filed)}\n`);
	}
}

function fileOf(release: string, part: string): string {
	return join(fixtures, release, `${part}.json`);
}

function moved(text: string, from: Addresses, to: Addresses): string {
	return text.replaceAll(from.registry, to.registry).replaceAll(from.n8n, to.n8n);
}
