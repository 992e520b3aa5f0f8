import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import express from 'express';

import { startTlsProxy } from '../simulator/tlsProxy';

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
	const releases = new Map<string, { manifest: Manifest; content: Buffer }>();
	const app = createServer(express().get('/:name', packument).get('/:name/-/:version', tarball));
	const appPort = await listen(app);
	const tls = await startTlsProxy({ targetPort: appPort });
	const sockets = new Set<Socket>();
	const proxy = createServer().on('connect', (_request, client: Socket) => {
		const upstream = connect(Number(new URL(tls.url).port), '127.0.0.1', () => {
			client.write('HTTP/1.1 200 Connection established\r\n\r\n');
		});
		for (const [one, other] of [
			[client, upstream],
			[upstream, client],
		]) {
			sockets.add(one);
			one
				.on('error', () => other.destroy())
				.on('close', () => sockets.delete(one))
				.pipe(other);
		}
	});
	const proxyPort = await listen(proxy);

	function packument({ params, headers }: express.Request, response: express.Response): void {
		const versions = [...releases.values()].filter(({ manifest }) => manifest.name === params.name);
		if (versions.length === 0) return void response.status(404).json({ error: 'Not found' });
		const described = versions.map(({ manifest, content }) => {
			const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
			const url = `https://${headers.host}/${manifest.name}/-/${manifest.version}`;
			return [manifest.version, { ...manifest, dist: { integrity, tarball: url } }];
		});
		response.set('Cache-Control', 'no-store').json({
			name: params.name,
			'dist-tags': { latest: versions[versions.length - 1].manifest.version },
			versions: Object.fromEntries(described),
		});
	}

	function tarball({ params }: express.Request, response: express.Response): void {
		const release = releases.get(`${params.name}@${params.version}`);
		if (release) response.type('application/octet-stream').send(release.content);
		else response.sendStatus(404);
	}

	return {
		/** For the environment of an n8n: whatever registry its npm asks, this one answers. */
		env: {
			npm_config_https_proxy: `http://127.0.0.1:${proxyPort}`,
			npm_config_noproxy: '',
			// The certificate is this machine's own, and made for no registry.
			npm_config_strict_ssl: 'false',
		},
		/** Offers a packed package; the one published last is the latest. Answers its manifest. */
		async publish(path: string): Promise<Manifest> {
			const { stdout } = await run('tar', ['-xOzf', path, 'package/package.json']);
			const manifest: Manifest = JSON.parse(stdout);
			releases.set(`${manifest.name}@${manifest.version}`, {
				manifest,
				content: await readFile(path),
			});
			return manifest;
		},
		async close(): Promise<void> {
			for (const socket of sockets) socket.destroy();
			proxy.close();
			await tls.close();
			app.closeAllConnections();
			app.close();
		},
	};
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return (server.address() as AddressInfo).port;
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
