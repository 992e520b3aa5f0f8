// The editor offers these fields before a node's first run, so they must be those of its output.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import { resolveOutputSchemaPath } from 'n8n-core';

import { offeredOperations } from '../../support/operations';
import { SCHEMA_FOLDER, outputSchemaFiles } from '../../support/outputSchemas';

const root = join(__dirname, '../../..');
const nodeDir = join(root, 'nodes/CompanyRegistry');

it('are those of the types of what the code puts out (else: npm run schemas)', () => {
	const present = readdirSync(join(root, SCHEMA_FOLDER), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.map((path) => [posix.relative(root, path), readFileSync(path, 'utf8')]);
	expect(Object.fromEntries(present)).toEqual(Object.fromEntries(outputSchemaFiles()));
});

it('are found by n8n for the trigger, and each for an operation that the editor offers', () => {
	const operations = offeredOperations()
		.map(({ resource, operation }) => [String(resource.value), String(operation.value)] as const)
		.map(([resource, operation]) => schemaPath(resource, operation));
	const paths = new Set([...operations, schemaPath()]);
	expect([...outputSchemaFiles().keys()].filter((path) => !paths.has(path))).toEqual([]);
});

/** Looked up as n8n does. */
function schemaPath(resource?: string, operation?: string): string | undefined {
	const path = resolveOutputSchemaPath({
		nodeDir,
		version: resource ? '1' : '1.1',
		resource,
		operation,
	});
	return path && posix.relative(root, path);
}
