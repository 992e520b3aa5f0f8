// README.md and docs/ list what the nodes have, no more and no less, and keep to their size.
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { eventOptions } from '../../../nodes/CompanyRegistry/shared/events';
import { countWords, pages, readPage, table } from '../../support/documents';

const ACTIONS = 'docs/actions.md';
const TRIGGER = 'docs/trigger.md';

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

describe('the operations', () => {
	const action = new CompanyRegistry().description.properties;
	const resources = action.filter(({ name }) => name === 'resource').flatMap(optionsOf);
	const operations = action
		.filter(({ name }) => name === 'operation')
		.flatMap((property) => {
			const [value] = property.displayOptions?.show?.resource ?? [];
			const resource = resources.find((option) => option.value === value)?.name ?? '';
			return optionsOf(property).map(({ name }) => ({ resource, name }));
		});

	it('are listed with all that there are', () => {
		const listed = table(ACTIONS, 'Resource', 'Operation').map(
			([resource, name]) => `${resource} / ${name}`,
		);
		const known = operations.map(({ resource, name }) => `${resource} / ${name}`);
		expect(listed.sort()).toEqual([...new Set(known)].sort());
		expect(listed.length).toBeGreaterThan(8);
	});

	it('are all named in the README, under their resource', () => {
		const named = table('README.md', 'Company Registry').flatMap(([cell]) => {
			const [resource, names] = cell.split(' → ');
			return names.split(', ').map((name) => ({ resource, name }));
		});
		expect(named).toHaveLength(operations.length);
		expect(named).toEqual(expect.arrayContaining(operations));
	});

	it('are listed with every parameter', () => {
		for (const [resource, operation, , parameters] of table(ACTIONS, 'Resource', 'Operation')) {
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

	it('puts out the fields that are shown', () => {
		const [, sample] = /```json\n([\s\S]+?)```/.exec(readPage('README.md')) ?? [];
		const listed = table(TRIGGER, 'Field', 'Content').map(([field]) => field.replaceAll('`', ''));
		expect(Object.keys(JSON.parse(sample) as object).sort()).toEqual(
			listed.filter((field) => field !== 'request').sort(),
		);
	});
});

describe('nobody reads more than', () => {
	it.each([
		['README.md', 2000],
		['CONTRIBUTING.md', 1400],
		['CHANGELOG.md', 400],
		['SECURITY.md', 800],
		['docs/compatibility.md', 350],
		['docs/portfolio.md', 600],
		['docs/reliability.md', 2000],
		['docs/scaling.md', 600],
	])('%s in %i words', (page, words) => {
		expect(countWords(page)).toBeLessThanOrEqual(words);
	});

	it('about 9,000 words in all, README and licence left out', () => {
		const others = pages.filter((page) => !['README.md', 'LICENSE.md'].includes(page));
		const words = others.map(countWords).reduce((sum, count) => sum + count);
		expect(words).toBeLessThanOrEqual(9200);
	});
});
