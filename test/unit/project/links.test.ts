// Links between the documents, from the nodes to them, and to files, folders and pictures. Files and commands
// that are named.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { scripts } from '../../../package.json';

import { anchors, links, otherPages, pages, pictures, readPage } from '../../support/documents';

const root = join(__dirname, '../../..');
const all = [...pages, ...otherPages];

it.each(all.filter((page) => page !== 'LICENSE.md'))('%s links to what there is', (page) => {
	const broken = links(page).filter(
		({ path, anchor }) =>
			!existsSync(join(root, path)) || (anchor !== undefined && !anchors(path).includes(anchor)),
	);
	expect(broken).toEqual([]);
});

it('each page can be reached from the README', () => {
	const reached = new Set(['README.md']);
	for (const page of reached) {
		const linked = links(page).map(({ path }) => (path === 'deploy' ? 'deploy/README.md' : path));
		for (const path of linked) if (all.includes(path)) reached.add(path);
	}
	expect(all.filter((page) => !reached.has(page))).toEqual([]);
});

it('no picture is kept that no page shows', () => {
	const shown = all.flatMap(pictures);
	const kept = readdirSync(join(root, 'docs/screenshots'))
		.filter((name) => name.endsWith('.png'))
		.map((name) => `docs/screenshots/${name}`);
	expect(kept.sort()).toEqual([...new Set(shown)].sort());
});

it.each([
	['nodes/CompanyRegistry/CompanyRegistryTrigger.node.json', 'a-mail-when-a-client-files'],
	['nodes/CompanyRegistry/CompanyRegistryTrigger.node.json', 'connect-your-account'],
	['nodes/CompanyRegistry/CompanyRegistry.node.json', 'look-companies-up'],
	['nodes/CompanyRegistry/CompanyRegistry.node.json', 'connect-your-account'],
	['credentials/CompanyRegistryApi.credentials.ts', 'connect-your-account'],
	['credentials/CompanyRegistrySessionApi.credentials.ts', 'with-a-session-token'],
])('n8n links from %s to #%s, which the README has', (file, anchor) => {
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

describe('CONTRIBUTING.md', () => {
	const text = readPage('CONTRIBUTING.md');

	it('names only files and folders that exist', () => {
		const quoted = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]*|[\w-]+\.(?:json|md))`/g)];
		// The example of a file that a reader is going to write.
		const named = quoted.map(([, path]) => path).filter((path) => !path.includes('getOfficers'));
		const bases = ['', 'nodes/CompanyRegistry', 'test'].map((base) => join(root, base));
		expect(named.filter((path) => !bases.some((base) => existsSync(join(base, path))))).toEqual([]);
		expect(named.length).toBeGreaterThan(15);
	});

	it('maps every room of the trigger, and no other', () => {
		const [, map] = / {2}trigger\/\n([\s\S]*?)\n {2}\w/.exec(text) ?? [];
		const rooms = [...map.matchAll(/^ {4}(\w+)\//gm)].map(([, room]) => room);
		const trigger = join(root, 'nodes/CompanyRegistry/trigger');
		expect(rooms.sort()).toEqual(readdirSync(trigger).sort());
	});
});
