// The deployment in deploy/ runs what the end-to-end test of queue mode runs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

import { deploymentSettings, operatorSettings, placeSettings } from '../../e2e/queue/settings';
import host from '../../n8n-host/package.json';

const folder = join(__dirname, '../../../deploy');

interface Service {
	image: string;
	env_file?: string;
	environment?: Record<string, string>;
}

const { services }: { services: Record<string, Service> } = parse(
	readFileSync(join(folder, 'compose.yaml'), 'utf8'),
	{ merge: true },
);
const processes = Object.entries(services).filter(([, { image }]) =>
	image.startsWith('n8nio/n8n:'),
);
const backends = {
	redis: new URL('redis://:secret@127.0.0.1:6379'),
	postgres: new URL('postgres://user:secret@127.0.0.1:5432/database'),
	name: 'run',
};

test.each(processes)(
	'%s runs the tested n8n, on the shared settings and those that the end-to-end test sets',
	(_name, { image, env_file: shared, environment = {} }) => {
		expect(image).toBe(`n8nio/n8n:${host.dependencies.n8n}`);
		expect(shared).toBe('n8n.env');
		expect(Object.keys(environment).sort()).toEqual(Object.keys(operatorSettings(backends)).sort());
	},
);

test('the end-to-end test replaces only settings that name a place', () => {
	expect(Object.keys(deploymentSettings())).toEqual(
		expect.arrayContaining(Object.keys(placeSettings(backends))),
	);
});
