import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';

import { containerEnvironment } from './environment';
import { answers } from './n8nProcess';
import { waitFor } from './waitFor';

const run = promisify(execFile);
const LARGE = 64 * 1024 * 1024;
/** Where the container has what is outside. */
const HOME = '/n8n';
const CERTIFICATE = '/certificate.pem';

/**
 * n8n's image with that folder as its own, once it answers: what `startN8n` gives of one that npm has installed. It has
 * this machine's network, and so reaches the simulator and is reached at `port`.
 *
 * @param options.image as in n8nio/n8n:latest
 * @param options.userFolder holds `.n8n`
 * @param options.certificate path of the certificate that n8n is told to trust
 */
export async function startContainer(
	options: Record<'image' | 'userFolder' | 'certificate', string> & {
		port: number;
		env: Record<string, string>;
	},
) {
	const { image, userFolder, port, env, certificate } = options;
	const name = `n8n-newest-${randomUUID()}`;
	const url = `http://127.0.0.1:${port}`;
	const settings = {
		...containerEnvironment(port),
		...env,
		HOME,
		N8N_USER_FOLDER: HOME,
		NODE_EXTRA_CA_CERTS: CERTIFICATE,
	};
	const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
	await run('docker', [
		...['run', '--detach', '--name', name, '--network', 'host', '--user', user],
		...['--volume', `${userFolder}:${HOME}`, '--volume', `${certificate}:${CERTIFICATE}:ro`],
		...Object.entries(settings).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
		image,
	]);
	const logs = () =>
		execFileSync('sh', ['-c', `docker logs ${name} 2>&1`], { encoding: 'utf8', maxBuffer: LARGE });
	const host = {
		url,
		logs,
		stop: async () => void (await run('docker', ['rm', '--force', '--volumes', name])),
	};
	try {
		await waitFor('n8n to start', async () => await answers(`${url}/healthz/readiness`));
	} catch (error) {
		console.error(logs().slice(-5_000));
		await host.stop();
		throw error;
	}
	return host;
}
