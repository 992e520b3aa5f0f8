// The tables in README.md, docs/ and CONTRIBUTING.md match the nodes.
import { difference, intersection, map } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';
import type { ZodTypeAny } from 'zod';

import { outputSchema } from '../../../nodes/CompanyRegistry/trigger/deliveries/output';
import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { triggerOnOptions } from '../../../nodes/CompanyRegistry/shared/events';
import newest from '../../n8n-host/package.json';
import oldest from '../../n8n-host-2.40/package.json';
import { anchors, readPage, table } from '../../support/documents';
import { offeredOperations } from '../../support/operations';

const ACTIONS = 'docs/actions.md';
const TRIGGER = 'docs/trigger.md';

// n8n's reviewers ask for these.
it.each(['installation', 'credentials', 'operations', 'compatibility', 'resources'])(
	'the README has a heading for %s',
	(anchor) => expect(anchors('README.md')).toContain(anchor),
);

describe('the operations', () => {
	const operations = offeredOperations().map(
		({ resource, operation }) => `${resource.name} / ${operation.name}`,
	);

	// docs/actions.md lists them all, so that a new operation needs no change here.
	it('that the README names exist, under their resource', () => {
		const named = table('README.md', 'Company Registry').flatMap(([cell]) => {
			const [resource, names] = cell.split(' → ');
			return names.split(', ').map((name) => `${resource} / ${name}`);
		});
		expect(difference(named, operations)).toEqual([]);
	});

	it('are all in the table of operations, with every parameter', () => {
		const { properties } = new CompanyRegistry().description;
		const rows = table(ACTIONS, 'Resource', 'Operation');
		expect(rows.map(([resource, name]) => `${resource} / ${name}`).sort()).toEqual(
			operations.sort(),
		);
		for (const { resource, operation } of offeredOperations()) {
			const row = rows.find((one) => one[0] === resource.name && one[1] === operation.name);
			const fields = properties.filter(({ type, displayOptions: { show } = {} }) => {
				const isOfIt = show?.operation?.includes(operation.value);
				return type !== 'notice' && show?.resource?.includes(resource.value) && isOfIt;
			});
			for (const { displayName } of fields) expect(row?.[3]).toContain(displayName);
		}
	});
});

describe('the trigger', () => {
	const trigger = new CompanyRegistryTrigger().description.properties;
	const options = trigger.find(({ name }) => name === 'options')?.options as INodeProperties[];

	it('has the listed parameters and options, in this order', () => {
		const visible = trigger.filter(({ name, type }) => name !== 'options' && type !== 'notice');
		expect(table(TRIGGER, 'Parameter', 'Values').map(([name]) => name)).toEqual(
			visible.map(({ displayName }) => displayName),
		);
		expect(table(TRIGGER, 'Option', 'Default').map(([name]) => name)).toEqual(
			options.map(({ displayName }) => displayName),
		);
	});

	it('offers the listed events', () => {
		const [, values] =
			table(TRIGGER, 'Parameter', 'Values').find(([name]) => name === 'Trigger On') ?? [];
		for (const { name, value } of triggerOnOptions)
			expect(values).toContain(`${name} (\`${String(value)}\`)`);
	});

	it('has the listed output fields, and null where the table says so', () => {
		// Only samples have a preview.
		const shape = Object.entries<ZodTypeAny>(outputSchema.shape).filter(
			([field]) => field !== 'preview',
		);
		const [, sample] = /```json\n([\s\S]+?)```/.exec(readPage('README.md')) ?? [];
		const shown = Object.keys(JSON.parse(sample) as object);
		expect(shown).toHaveLength(6);
		expect(shown).toEqual(intersection(map(shape, 0), shown));
		const listed = table(TRIGGER, 'Field', 'Content');
		expect(listed.map(([field, content]) => [field, content.includes('`null`')])).toEqual(
			shape.map(([field, schema]) => [`\`${field}\``, schema.isNullable()]),
		);
	});
});

it('the tested n8n versions are those that docs/self-hosting.md names', () => {
	const named = table('docs/self-hosting.md', 'n8n', 'Tests').map(([version]) => version);
	const tested = [newest, oldest].map(({ dependencies }) => dependencies.n8n);
	expect(named).toEqual(expect.arrayContaining(tested));
});
