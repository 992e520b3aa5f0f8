import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import express from 'express';

import { ownCertificate } from '../simulator/tlsProxy';
import { listen } from './ports';

const run = promisify(execFile);

const CHANGED = 'nodes/CompanyRegistry/trigger/deliveries/receiveDelivery.js';

/** What the trigger of the next release puts out besides, by which its code is known. */
const MARK = `
const { receiveDelivery: receiveAsBefore } = exports;
exports.receiveDelivery = async (...inputs) => {
	const answer = await receiveAsBefore(...inputs);
	for (const item of answer.workflowData?.[0] ?? []) item.json.release = 'next';
	return answer;
};
`;

interface Manifest {
	name: string;
	version: string;
}

export type PackageRegistry = Awaited<ReturnType<typeof startPackageRegistry>>;

/**
 * Stands for the public package registry, which n8n's community nodes screen installs from. n8n names
 * that registry to npm itself, so npm is given a proxy that leads every https connection here.
 */
export async function startPackageRegistry() {
	const releases: Array<{ manifest: Manifest; content: Buffer }> = [];
	const app = express();
	app.get('/:name', ({ params, headers }, response) => {
		const named = releases.filter(({ manifest }) => manifest.name === params.name);
		const versions = named.map(({ manifest, content }) => {
			const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
			const tarball = `https://${headers.host}/${manifest.name}/-/${manifest.version}`;
			return [manifest.version, { ...manifest, dist: { integrity, tarball } }];
		});
		const latest = named.at(-1)?.manifest.version;
		response.set('Cache-Control', 'no-store').status(latest ? 200 : 404);
		response.json({
			name: params.name,
			'dist-tags': { latest },
			versions: Object.fromEntries(versions),
		});
	});
	app.get('/:name/-/:version', ({ params: { name, version } }, response) => {
		const release = releases.find(
			({ manifest }) => manifest.name === name && manifest.version === version,
		);
		if (release) response.type('application/octet-stream').send(release.content);
		else response.sendStatus(404);
	});

	const registry = createSecureServer(await ownCertificate(), app);
	const proxy = createServer().on('connect', (_request, client) => {
		client.on('error', () => client.destroy());
		client.write('HTTP/1.1 200 Connection established\r\n\r\n');
		registry.emit('connection', client);
	});
	const port = await listen(proxy);

	return {
		/** For the environment of an n8n: whatever registry its npm asks, this one answers. */
		env: {
			npm_config_https_proxy: `http://127.0.0.1:${port}`,
			npm_config_noproxy: '',
			// The certificate is this machine's own, and made for no registry.
			npm_config_strict_ssl: 'false',
		},
		/** Offers a packed package; the one published last is the latest. Answers its manifest. */
		async publish(path: string): Promise<Manifest> {
			const { stdout } = await run('tar', ['-xOzf', path, 'package/package.json']);
			const manifest: Manifest = JSON.parse(stdout);
			releases.push({ manifest, content: await readFile(path) });
			return manifest;
		},
		async close(): Promise<void> {
			proxy.close();
			registry.closeAllConnections();
		},
	};
}

/** Packs a later release of a packed package, whose trigger adds `release: 'next'` to each item. */
export async function packNextRelease(
	tarball: string,
	version: string,
): Promise<{ tarball: string; remove(): Promise<void> }> {
	const folder = await mkdtemp(join(tmpdir(), 'next-release-'));
	await run('tar', ['-xzf', tarball, '-C', folder]);
	const manifestFile = join(folder, 'package', 'package.json');
	const manifest = JSON.parse(await readFile(manifestFile, 'utf8'));
	await writeFile(manifestFile, JSON.stringify({ ...manifest, version }));
	const code = join(folder, 'package', 'dist', CHANGED);
	// Where it has moved, say so, rather than pack a release that differs in nothing.
	await access(code);
	await appendFile(code, MARK);
	const packed = join(folder, 'next.tgz');
	await run('tar', ['-czf', packed, '-C', folder, 'package']);
	return { tarball: packed, remove: async () => await rm(folder, { recursive: true }) };
}
