// What the tests install.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const hosts = ['test/n8n-host', 'test/n8n-host-2.40'];

function versionOf(folder: string, wanted: string): string | undefined {
	const lockFile = readFileSync(join(root, folder, 'package-lock.json'), 'utf8');
	const packages = JSON.parse(lockFile).packages as Record<string, { version: string }>;
	return Object.entries(packages).find(([path]) => path.endsWith(`node_modules/${wanted}`))?.[1]
		.version;
}

it.each(['n8n-core', 'n8n-workflow'])('%s is that of the n8n of the end-to-end tests', (name) => {
	expect(versionOf('.', name)).toBe(versionOf(hosts[0], name));
});

it.each(hosts)('the n8n in %s has the database that is made once', (host) => {
	expect(versionOf(host, 'sqlite3')).toBe(versionOf('test/n8n-native', 'sqlite3'));
});
