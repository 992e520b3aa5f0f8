import { execFile } from 'node:child_process';
import { access, appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

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
