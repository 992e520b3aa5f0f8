// What n8n's reviewers check beyond lint. docs/maintainers/release.md has the whole list.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import manifest from '../../../package.json';
import { credentialTypes } from '../../support/credentialsHelper';

const root = join(__dirname, '../../..');
const nodes = [new CompanyRegistry(), new CompanyRegistryTrigger()];

it('each node is named in its codex with the name of the package', () => {
	const named = manifest.n8n.nodes.map((path) => {
		const codex = path.replace('dist/', '').replace(/\.js$/, '.json');
		return (JSON.parse(readFileSync(join(root, codex), 'utf8')) as { node: string }).node;
	});
	const names = nodes.map(({ description }) => `${manifest.name}.${description.name}`);
	expect(named).toEqual(names);
});

it.each(credentialTypes)('$displayName has an icon in light and dark, a test and a page', (one) => {
	const icons = Object.values(one.icon as { light: string; dark: string });
	expect(new Set(icons).size).toBe(2);
	for (const icon of icons)
		expect(existsSync(resolve(root, 'credentials', icon.replace('file:', '')))).toBe(true);
	expect(one.test.request.url).toMatch(/^\/v1\/|\$credentials\.url/);
	expect(one.documentationUrl).toMatch(/^https:\/\/\S+#\S+$/);
});
