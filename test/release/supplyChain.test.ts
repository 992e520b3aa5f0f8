// What the development tools and the pinned n8n are installed from, and under which licences.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const folders = ['.', 'test/n8n-host', 'test/n8n-host-1x'];

interface LockedPackage {
	version: string;
	integrity?: string;
	resolved?: string;
	license?: string;
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

describe.each(folders)('what is installed in %s', (folder) => {
	it('is locked, each package with its checksum', () => {
		const packages = lockedPackages(folder);
		expect(packages.length).toBeGreaterThan(500);
		const unlocked = packages.filter(({ integrity }) => !/^sha(512|256|1)-/.test(integrity ?? ''));
		expect(unlocked.map(({ name }) => name)).toEqual([]);
	});

	it('comes from the registry that the developer uses', () => {
		const elsewhere = lockedPackages(folder).filter(({ resolved }) => resolved !== undefined);
		expect(elsewhere).toEqual([]);
	});

	it('is the direct dependencies at one version each', () => {
		const { dependencies = {}, devDependencies = {} } = JSON.parse(read(folder, 'package.json'));
		const versions: string[] = Object.values({ ...dependencies, ...devDependencies });
		expect(versions.length).toBeGreaterThan(0);
		expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
	});

	it('runs no install scripts', () => {
		expect(read(folder, '.npmrc').split('\n')).toContain('ignore-scripts=true');
	});
});

describe('the licences of the development tools', () => {
	const licences = read('test', 'release', 'licences.md');
	const packages = lockedPackages('.');
	const ofTools = packages.map(({ license }) => license);

	it('are those that were looked at', () => {
		const [, rows] = /\|---\|---\|\n((?:\|.*\n)+)/.exec(licences) ?? [];
		const listed = rows
			.split('\n')
			.filter(Boolean)
			.map((row) => row.split('|')[1].trim());
		const used = new Set(ofTools.filter((license) => license !== undefined));
		expect(listed.sort()).toEqual([...used].sort());
	});

	it('are named, but for the packages that the document knows', () => {
		const unnamed = packages.filter(({ license }) => license === undefined).map(({ name }) => name);
		const [, known] = /\n(.*) name their licence/.exec(licences) ?? [];
		expect(unnamed.sort()).toEqual(
			[...known.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort(),
		);
	});
});
