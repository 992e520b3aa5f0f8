// Links in documents and from nodes to documents, and the files and commands that documents name.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { scripts } from '../../../package.json';

import { anchors, links, otherPages, pages, readPage } from '../../support/documents';

const root = join(__dirname, '../../..');
const all = [...pages, ...otherPages];

it.each(all.filter((page) => page !== 'LICENSE.md'))('%s has no broken link', (page) => {
	const broken = links(page).filter(
		({ path, anchor }) =>
			!existsSync(join(root, path)) || (anchor !== undefined && !anchors(path).includes(anchor)),
	);
	expect(broken).toEqual([]);
});

it('readers reach each page from the README', () => {
	const reached = new Set(['README.md']);
	for (const page of reached) {
		const linked = links(page).map(({ path }) => (path === 'deploy' ? 'deploy/README.md' : path));
		for (const path of linked) if (all.includes(path)) reached.add(path);
	}
	expect(all.filter((page) => !reached.has(page))).toEqual([]);
});

it('a page shows each picture', () => {
	const shown = all.flatMap(links).flatMap(({ path }) => (path.endsWith('.png') ? path : []));
	const kept = readdirSync(join(root, 'docs/screenshots'))
		.filter((name) => name.endsWith('.png'))
		.map((name) => `docs/screenshots/${name}`);
	expect(kept.sort()).toEqual([...new Set(shown)].sort());
});

it.each([
	['nodes/CompanyRegistry/CompanyRegistryTrigger.node.json', 'quick-start'],
	['nodes/CompanyRegistry/CompanyRegistry.node.json', 'operations'],
	['credentials/CompanyRegistryApi.credentials.ts', 'credentials'],
])('%s links to README#%s', (file, anchor) => {
	expect(readFileSync(join(root, file), 'utf8')).toContain(`#${anchor}`);
	expect(anchors('README.md')).toContain(anchor);
});

it('the pages name only commands that exist', () => {
	const named = all.flatMap((page) =>
		[...readPage(page).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, command]) => command),
	);
	expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
	expect(named.length).toBeGreaterThan(10);
});

const forMaintainers = ['recording', 'release'].map((name) => `docs/maintainers/${name}.md`);
it.each(['CONTRIBUTING.md', ...forMaintainers])('%s names only files that exist', (page) => {
	const quoted = readPage(page).matchAll(/`((?:[\w.-]+\/)+[\w.-]*|[\w-]+\.(?:json|md))`/g);
	// The recipe has the reader write this file.
	const named = [...quoted].map(([, path]) => path).filter((path) => !path.endsWith('delete.ts'));
	const bases = ['', 'nodes/CompanyRegistry', 'test'].map((base) => join(root, base));
	expect(named.filter((path) => !bases.some((base) => existsSync(join(base, path))))).toEqual([]);
	expect(named.length).toBeGreaterThan(5);
});
