// What the development tools and the pinned n8n are installed from.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const hosts = ['test/n8n-host', 'test/n8n-host-2.40'];
const native = 'test/n8n-native';
const nodeCli = 'test/n8n-node-cli';

interface LockedPackage {
	version: string;
	integrity?: string;
	resolved?: string;
}

function read(...path: string[]): string {
	return readFileSync(join(root, ...path), 'utf8');
}

/** By name; of several versions in one tree each counts. */
function lockedPackages(folder: string): Array<LockedPackage & { name: string }> {
	const packages: Record<string, LockedPackage> = JSON.parse(
		read(folder, 'package-lock.json'),
	).packages;
	return Object.entries(packages)
		.filter(([path]) => path !== '')
		.map(([path, locked]) => ({ name: path.replace(/^.*node_modules\//, ''), ...locked }));
}

describe.each(['.', ...hosts, native, nodeCli])('what is installed in %s', (folder) => {
	it('is locked, each package with its checksum, and from the registry that the developer uses', () => {
		const packages = lockedPackages(folder);
		expect(packages.length).toBeGreaterThan(50);
		const unlocked = packages.filter(({ integrity }) => !/^sha(512|256|1)-/.test(integrity ?? ''));
		expect(unlocked.map(({ name }) => name)).toEqual([]);
		expect(packages.filter(({ resolved }) => resolved !== undefined)).toEqual([]);
	});

	it('is the direct dependencies at one version each, and runs no install scripts', () => {
		const { dependencies = {}, devDependencies = {} } = JSON.parse(read(folder, 'package.json'));
		const versions: string[] = Object.values({ ...dependencies, ...devDependencies });
		expect(versions.length).toBeGreaterThan(0);
		expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
		expect(read(folder, '.npmrc').split('\n')).toContain('ignore-scripts=true');
	});
});

it('what is tested without n8n and with it is one n8n, whose database is the one that is made', () => {
	const versionOf = (folder: string, wanted: string) =>
		lockedPackages(folder).find(({ name }) => name === wanted)?.version;
	for (const name of ['n8n-core', 'n8n-workflow']) {
		expect([name, versionOf('.', name)]).toEqual([name, versionOf(hosts[0], name)]);
	}
	for (const host of hosts) {
		expect([host, versionOf(host, 'sqlite3')]).toEqual([host, versionOf(native, 'sqlite3')]);
	}
});
