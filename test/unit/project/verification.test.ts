// What users and n8n's reviewers see of the nodes and credentials, beyond lint.
// docs/maintainers/release.md has the reviewers' whole list.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeProperties } from 'n8n-workflow';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import manifest from '../../../package.json';
import { credentialTypes } from '../../support/credentialsHelper';

const root = join(__dirname, '../../..');
const nodes = [new CompanyRegistry().description, new CompanyRegistryTrigger().description];
const forms = [
	...nodes,
	{ name: 'the credentials', properties: credentialTypes.flatMap(({ properties }) => properties) },
];

/** What only people who write software say. The trigger's Signature option is for them. */
const jargon =
	/\b(hmac|sha-?\d+|payloads?|idempot\w+|endpoints?|headers?|base64|hex|utf-?8|json|jwt|regex\w*|strings?|arrays?|booleans?|null|parse[ds]?|query parameters?|static data)\b/gi;

describe.each(forms.map((form) => [form.name, form] as const))('%s', (_name, form) => {
	test('every field is described, or each of its entries or inner fields is', () => {
		const bare = fieldsOf(form.properties).filter(({ type, description, options = [] }) => {
			const isDescribed = options.every((one) => 'type' in one || 'description' in one);
			return type !== 'notice' && !description && (options.length === 0 || !isDescribed);
		});
		expect(bare.map(({ name }) => name)).toEqual([]);
	});

	test('a field to type in shows what its value looks like', () => {
		const places = fieldsOf(form.properties).flatMap(
			(field): Array<Pick<INodeProperties, 'name' | 'placeholder'>> =>
				field.type === 'string' ? [field] : (field.modes ?? []),
		);
		expect(places.filter(({ placeholder = '' }) => !/\w/.test(placeholder))).toEqual([]);
	});

	test('no jargon outside the Signature option and the header of a link', () => {
		const spoken = JSON.stringify(form, (key, value: { name?: string } | undefined) => {
			if (key === 'type' || key === 'header') return undefined;
			return /^(signature|header\w+)$/.test(value?.name ?? '') ? '' : value;
		});
		expect(spoken.match(jargon)).toBeNull();
	});
});

it('each node is named in its codex with the name of the package', () => {
	const named = manifest.n8n.nodes.map((path) => {
		const codex = path.replace('dist/', '').replace(/\.js$/, '.json');
		return (JSON.parse(readFileSync(join(root, codex), 'utf8')) as { node: string }).node;
	});
	expect(named).toEqual(nodes.map(({ name }) => `${manifest.name}.${name}`));
});

/** Every field, those inside collections included. */
function fieldsOf(properties: INodeProperties[]): INodeProperties[] {
	return properties.flatMap((property) => {
		const inner = (property.options ?? []).flatMap((option) => {
			if ('values' in option) return option.values;
			return 'type' in option ? [option] : [];
		});
		return [property, ...fieldsOf(inner)];
	});
}
