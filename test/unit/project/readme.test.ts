// README.md lists what the nodes have, no more and no less.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { eventOptions } from '../../../nodes/CompanyRegistry/shared/events';

const root = join(__dirname, '../../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The rows of the table whose header row starts with these columns, cells trimmed. */
function table(...columns: string[]): string[][] {
	const lines = readme.split('\n');
	const start = lines.findIndex((line) => line.startsWith(`| ${columns.join(' | ')} |`));
	if (start === -1) throw new Error(`README has no table with the columns ${columns.join(', ')}`);
	const rows = lines.slice(start + 2);
	return rows
		.slice(
			0,
			rows.findIndex((line) => !line.startsWith('|')),
		)
		.map((line) =>
			line
				.slice(1, -1)
				.split('|')
				.map((cell) => cell.trim()),
		);
}

function optionsOf(property: INodeProperties | undefined): INodePropertyOptions[] {
	return (property?.options ?? []) as INodePropertyOptions[];
}

/** As the table of options writes it; what a field for text or for several fields does by itself it must say. */
function defaultInWords(property: INodeProperties | undefined): unknown {
	const value = property?.default;
	if (property?.type === 'boolean') return value === true ? 'on' : 'off';
	if (property?.type === 'number') return `${String(value)} seconds`;
	const chosen = optionsOf(property).find((option) => option.value === value);
	return chosen?.name ?? expect.stringMatching(/^(?:none|automatic)$/);
}

describe('README', () => {
	const action = new CompanyRegistry().description.properties;
	const trigger = new CompanyRegistryTrigger().description.properties;

	it('lists exactly the operations that the action node has', () => {
		const resources = action.filter(({ name }) => name === 'resource').flatMap(optionsOf);
		const operations = action
			.filter(({ name }) => name === 'operation')
			.flatMap((property) => {
				const [value] = property.displayOptions?.show?.resource ?? [];
				const resource = resources.find((option) => option.value === value)?.name;
				return optionsOf(property).map(({ name }) => `${resource} / ${name}`);
			});
		const listed = table('Resource', 'Operation').map(
			([resource, name]) => `${resource} / ${name}`,
		);
		expect(listed.sort()).toEqual([...new Set(operations)].sort());
		expect(listed.length).toBeGreaterThan(8);
	});

	it('names every parameter of each operation', () => {
		for (const [resource, operation, , parameters] of table('Resource', 'Operation')) {
			const value = action
				.filter(
					({ name, displayOptions }) =>
						name === 'operation' &&
						displayOptions?.show?.resource?.includes(resource.toLowerCase()),
				)
				.flatMap(optionsOf)
				.find(({ name }) => name === operation)?.value;
			const fields = action.filter(
				({ type, displayOptions }) =>
					type !== 'notice' &&
					displayOptions?.show?.resource?.includes(resource.toLowerCase()) &&
					displayOptions.show.operation?.includes(value ?? ''),
			);
			const missing = fields
				.map(({ displayName }) => displayName)
				.filter((name) => !parameters.includes(name));
			expect({ operation, missing }).toEqual({ operation, missing: [] });
		}
	});

	it('lists exactly the parameters and options of the trigger', () => {
		const visible = trigger.filter(({ name, type }) => name !== 'options' && type !== 'notice');
		expect(table('Parameter', 'Values').map(([name]) => name)).toEqual(
			visible.map(({ displayName }) => displayName),
		);
		const options = trigger.find(({ name }) => name === 'options')?.options as INodeProperties[];
		expect(table('Option', 'Default').map(([name]) => name)).toEqual(
			options.map(({ displayName }) => displayName),
		);
	});

	it("says what each of the trigger's options is by default", () => {
		const options = trigger.find(({ name }) => name === 'options')?.options as INodeProperties[];
		for (const [name, said] of table('Option', 'Default')) {
			const property = options.find(({ displayName }) => displayName === name);
			expect({ name, said }).toEqual({ name, said: defaultInWords(property) });
		}
	});

	it('names every event that can be chosen', () => {
		const [, values] = table('Parameter', 'Values').find(([name]) => name === 'Trigger On') ?? [];
		for (const { name, value } of eventOptions) expect(values).toContain(`${name} (\`${value}\`)`);
	});

	it('links only to files that exist', () => {
		const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)\)/g)].map(([, path]) => path);
		expect(links.length).toBeGreaterThan(3);
		expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
	});

	const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, text]) =>
		text
			.toLowerCase()
			.replace(/[^\w -]/g, '')
			.replace(/ /g, '-'),
	);

	it('links only to headings that it has', () => {
		const anchors = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
		expect(anchors.length).toBeGreaterThan(5);
		expect(anchors.filter((anchor) => !headings.includes(anchor))).toEqual([]);
	});

	it('has the headings to which the nodes and credentials link', () => {
		const linking = [
			'credentials/CompanyRegistryApi.credentials.ts',
			'credentials/CompanyRegistrySessionApi.credentials.ts',
			'nodes/CompanyRegistry/CompanyRegistry.node.json',
			'nodes/CompanyRegistry/CompanyRegistryTrigger.node.json',
		];
		const anchors = linking.flatMap((file) =>
			[...readFileSync(join(root, file), 'utf8').matchAll(/#([\w-]+)['"]/g)].map(
				([, anchor]) => anchor,
			),
		);
		expect(anchors.length).toBeGreaterThan(3);
		expect(anchors.filter((anchor) => !headings.includes(anchor))).toEqual([]);
	});
});
