// CONTRIBUTING.md names only what there is.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');
const nodes = join(root, 'nodes/CompanyRegistry');
const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
const scripts: Record<string, string> = JSON.parse(
	readFileSync(join(root, 'package.json'), 'utf8'),
).scripts;

/** Where a path in the text may start from. */
const bases = ['', 'nodes/CompanyRegistry', 'test'];

it('names only files and folders that exist', () => {
	const quoted = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]*|[\w-]+\.(?:json|md))`/g)].map(
		([, path]) => path,
	);
	// The example of a file that a reader is going to write.
	const named = quoted.filter((path) => !path.includes('getOfficers'));
	const missing = named.filter((path) => !bases.some((base) => existsSync(join(root, base, path))));
	expect(missing).toEqual([]);
	expect(named.length).toBeGreaterThan(15);
});

it('maps every room of the trigger, and no other', () => {
	const [, map] = / {2}trigger\/\n([\s\S]*?)\n {2}\w/.exec(text) ?? [];
	const rooms = [...map.matchAll(/^ {4}(\w+)\//gm)].map(([, room]) => room);
	expect(rooms.sort()).toEqual(readdirSync(join(nodes, 'trigger')).sort());
});

it('names only commands that exist', () => {
	const commands = [
		...text.matchAll(
			/npm (?:run )?(test|start|dev|format|lint|scan|schemas|typecheck|mutation|bench|placeholders)\b/g,
		),
	].map(([, name]) => name);
	expect(Object.keys(scripts)).toEqual(expect.arrayContaining(commands));
	expect(commands.length).toBeGreaterThan(4);
});
