// README.md and docs/ list what the nodes have, no more and no less.
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { ZodTypeAny } from 'zod';

import { outputSchema } from '../../../nodes/CompanyRegistry/trigger/deliveries/output';
import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { eventOptions } from '../../../nodes/CompanyRegistry/shared/events';
import { TIMES } from '../../../nodes/CompanyRegistry/trigger/subscriptions/times';
import { readPage, table } from '../../support/documents';
import { offeredOperations } from '../../support/operations';

const ACTIONS = 'docs/actions.md';
const TRIGGER = 'docs/trigger.md';

/** As the table of options writes it; what a field for text or for several fields does by itself it must say. */
function defaultInWords(property: INodeProperties | undefined): unknown {
	const value = property?.default;
	if (property?.type === 'boolean') return value === true ? 'on' : 'off';
	if (property?.type === 'number') return `${String(value)} seconds`;
	const options = property?.options as INodePropertyOptions[] | undefined;
	const chosen = options?.find((option) => option.value === value);
	return chosen?.name ?? expect.stringMatching(/^(?:none|automatic)$/);
}

describe('the operations', () => {
	const operations = offeredOperations().map(
		({ resource, operation }) => `${resource.name} / ${operation.name}`,
	);

	it('are listed with all that there are', () => {
		const listed = table(ACTIONS, 'Resource', 'Operation').map(
			([resource, name]) => `${resource} / ${name}`,
		);
		expect(listed.sort()).toEqual(operations.sort());
	});

	it('are all named in the README, under their resource', () => {
		const named = table('README.md', 'Company Registry').flatMap(([cell]) => {
			const [resource, names] = cell.split(' → ');
			return names.split(', ').map((name) => `${resource} / ${name}`);
		});
		expect(named.sort()).toEqual(operations.sort());
	});

	it('are listed with every parameter', () => {
		const { properties } = new CompanyRegistry().description;
		const rows = table(ACTIONS, 'Resource', 'Operation');
		const missing = offeredOperations().flatMap(({ resource, operation }) => {
			const listed = rows.find((row) => row[0] === resource.name && row[1] === operation.name)?.[3];
			return properties
				.filter(({ type }) => type !== 'notice')
				.filter(({ displayOptions: { show } = {} }) => show?.resource?.includes(resource.value))
				.filter(({ displayOptions: { show } = {} }) => show?.operation?.includes(operation.value))
				.filter(({ displayName }) => !listed?.includes(displayName))
				.map(({ displayName }) => `${operation.name}: ${displayName}`);
		});
		expect(missing).toEqual([]);
	});
});

describe('the trigger', () => {
	const trigger = new CompanyRegistryTrigger().description.properties;
	const options = trigger.find(({ name }) => name === 'options')?.options as INodeProperties[];

	it('has the parameters and options that are listed, in this order', () => {
		const visible = trigger.filter(({ name, type }) => name !== 'options' && type !== 'notice');
		expect(table(TRIGGER, 'Parameter', 'Values').map(([name]) => name)).toEqual(
			visible.map(({ displayName }) => displayName),
		);
		expect(table(TRIGGER, 'Option', 'Default').map(([name]) => name)).toEqual(
			options.map(({ displayName }) => displayName),
		);
	});

	it('does by default what is said of each option', () => {
		for (const [name, said] of table(TRIGGER, 'Option', 'Default')) {
			const property = options.find(({ displayName }) => displayName === name);
			expect({ name, said }).toEqual({ name, said: defaultInWords(property) });
		}
	});

	it('offers the events that are named', () => {
		const [, values] =
			table(TRIGGER, 'Parameter', 'Values').find(([name]) => name === 'Trigger On') ?? [];
		for (const { name, value } of eventOptions) expect(values).toContain(`${name} (\`${value}\`)`);
	});

	it('puts out the fields that are shown, and null where that is said', () => {
		const shape = Object.entries<ZodTypeAny>(outputSchema.shape);
		const [, sample] = /```json\n([\s\S]+?)```/.exec(readPage('README.md')) ?? [];
		expect(Object.keys(JSON.parse(sample) as object)).toEqual(shape.map(([field]) => field));
		const listed = table(TRIGGER, 'Field', 'Content').filter(([field]) => field !== '`request`');
		expect(listed.map(([field, content]) => [field, content.includes('`null`')])).toEqual(
			shape.map(([field, schema]) => [`\`${field}\``, schema.isNullable()]),
		);
	});
});

describe('the times that are told', () => {
	const inWords = (ms: number) => (ms === 60_000 ? 'a minute' : `${ms / 1000} seconds`);

	it.each<[keyof typeof TIMES, string]>([
		['beforePausing', 'docs/trigger.md'],
		['beforePausing', 'docs/reliability.md'],
		['beforePausing', 'CONTRIBUTING.md'],
		['answer', 'docs/trigger.md'],
		['answer', 'docs/reliability.md'],
		['answer', 'CONTRIBUTING.md'],
	])('%s is in %s as it is in TIMES', (name, page) => {
		expect(readPage(page)).toContain(inWords(TIMES[name]));
	});
});
