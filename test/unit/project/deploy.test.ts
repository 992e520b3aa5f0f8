// The deployment in deploy/ runs what the end-to-end test of queue mode runs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

import { deploymentSettings, operatorSettings, placeSettings } from '../../e2e/queue/settings';
import host from '../../n8n-host/package.json';

const folder = join(__dirname, '../../../deploy');

interface Service {
	image: string;
	command?: string;
	env_file?: string;
	environment?: Record<string, string>;
	healthcheck?: { test: string[] };
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

test('the deployment runs the processes that the end-to-end test runs', () => {
	expect(Object.fromEntries(processes.map(([name, { command }]) => [name, command]))).toEqual({
		main: undefined,
		'webhook-1': 'webhook',
		'webhook-2': 'webhook',
		'worker-1': 'worker',
		'worker-2': 'worker',
	});
});

test.each(processes)(
	'%s runs the tested n8n on the shared settings and those of the operator that the end-to-end test sets itself, and is asked for readiness',
	(_name, service) => {
		expect(service.image).toBe(`n8nio/n8n:${host.dependencies.n8n}`);
		expect(service.env_file).toBe('n8n.env');
		expect(service.healthcheck?.test.join(' ')).toContain('/healthz/readiness');
		expect(Object.keys(service.environment ?? {}).sort()).toEqual(
			Object.keys(operatorSettings(backends)).sort(),
		);
	},
);

test('the end-to-end test replaces nothing but settings that name a place', () => {
	expect(Object.keys(deploymentSettings())).toEqual(
		expect.arrayContaining(Object.keys(placeSettings(backends))),
	);
});

test('the example lists what the compose file asks the operator for', () => {
	const asked = readFileSync(join(folder, 'compose.yaml'), 'utf8').matchAll(/\$\{(\w+):\?/g);
	const listed = readFileSync(join(folder, '.env.example'), 'utf8').matchAll(/^(\w+)=/gm);
	expect([...new Set([...listed].map(([, name]) => name))].sort()).toEqual(
		[...new Set([...asked].map(([, name]) => name))].sort(),
	);
});
