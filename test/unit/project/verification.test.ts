// What n8n's reviewers check beyond lint. docs/maintainers/release.md has the whole list.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import manifest from '../../../package.json';
import { credentialTypes } from '../../support/credentialsHelper';

const root = join(__dirname, '../../..');
const nodes = [new CompanyRegistry(), new CompanyRegistryTrigger()];

/** Of a node whose name is the file's, as in package.json. */
function read(name: string, ending: string): string {
	const [file] = [...manifest.n8n.nodes, ...manifest.n8n.credentials].filter((path) =>
		basename(path).toLowerCase().startsWith(`${name.toLowerCase()}.`),
	);
	return readFileSync(join(root, file.replace('dist/', '').replace(/\.js$/, ending)), 'utf8');
}

describe.each(nodes.map(({ description }) => description))('$displayName', (description) => {
	it('is named in its codex with the name of the package', () => {
		const codex: { node: string } = JSON.parse(read(description.name, '.json'));
		expect(codex.node).toBe(`${manifest.name}.${description.name}`);
	});

	it('can be a tool of an agent unless it is a trigger, and names connections by n8n’s own constant', () => {
		const isTrigger = description.group.includes('trigger');
		expect(description.usableAsTool).toBe(isTrigger ? undefined : true);
		const source = read(description.name, '.ts');
		expect(source).toContain('outputs: [NodeConnectionTypes.Main]');
		expect(source).toContain(`inputs: [${isTrigger ? '' : 'NodeConnectionTypes.Main'}]`);
	});
});

it.each(credentialTypes)('$displayName has an icon in light and dark, a test and a page', (one) => {
	const icons = Object.values(one.icon as { light: string; dark: string });
	expect(new Set(icons).size).toBe(2);
	for (const icon of icons)
		expect(existsSync(resolve(root, 'credentials', icon.replace('file:', '')))).toBe(true);
	expect(one.test.request.url).toMatch(/^\/v1\/|\$credentials\.url/);
	expect(one.documentationUrl).toMatch(/^https:\/\/\S+#\S+$/);
});

it('the package says where it comes from', () => {
	expect(manifest.repository.url).toMatch(/^git\+https:\/\/github\.com\/\S+\.git$/);
	expect(manifest.homepage).toMatch(/^https:\/\//);
});
