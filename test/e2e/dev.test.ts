// `npm start -- --watch` shows each change of the sources soon after it is saved.
// Takes long because the compiler watches the sources.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

import { Cleanups } from '../n8n-host/cleanups';
import { packedTarball } from '../n8n-host/installation';
import { N8nClient } from '../n8n-host/n8nClient';
import { freePort } from '../n8n-host/ports';
import { waitFor } from '../n8n-host/waitFor';
import { DemoRun } from './demoRun';
import { E2E_TIMEOUT_MS } from './surroundings';

jest.setTimeout(E2E_TIMEOUT_MS);

const repository = resolve(__dirname, '../..');
const made = ['node_modules', '.git', '.cache', 'dist', 'coverage'];

const cleanups = new Cleanups();

afterEach(async () => await cleanups.run());

/** A working copy to change, with what is installed in this one. */
async function copyRepository(): Promise<string> {
	// Or the copy's set-up would put what is linked there right, and so change this one.
	const isSetUp = `import { hasN8n, isInstalled } from './scripts/lib/dependencies.mjs';
		console.log(isInstalled('.') && hasN8n());`;
	const args = ['--input-type=module', '-e', isSetUp];
	const answer = execFileSync(process.execPath, args, { cwd: repository, encoding: 'utf8' });
	if (answer.trim() !== 'true') throw new Error('Run "node scripts/bootstrap.mjs" first');
	const copy = await mkdtemp(join(tmpdir(), 'working-copy-'));
	cleanups.add('remove the copy', async () => await rm(copy, { recursive: true }));
	const filter = (path: string) => !made.includes(basename(path));
	await cp(repository, copy, { recursive: true, filter });
	for (const folder of ['.', 'test/n8n-host', 'test/n8n-native']) {
		const installed = join(folder, 'node_modules');
		await symlink(join(repository, installed), join(copy, installed));
	}
	const prepared = join('.cache', 'prepared');
	await mkdir(join(copy, '.cache'));
	await symlink(join(repository, prepared), join(copy, prepared));
	for (const packed of [packedTarball(), `${packedTarball()}.sources`]) {
		await cp(packed, join(copy, '.cache', basename(packed)));
	}
	return copy;
}

async function replaceIn(file: string, text: string, replacement: string): Promise<void> {
	const content = await readFile(file, 'utf8');
	expect(content).toContain(text);
	await writeFile(file, content.replace(text, replacement));
}

it('sends filings, and shows a changed label and a changed codex without a restart; Ctrl-C stops everything and leaves nothing behind', async () => {
	const copy = await copyRepository();
	const env = {
		NODE_COMPILE_CACHE: join(repository, '.cache', 'compiled'),
		// The usual one is about to be taken by the demo that another test runs.
		N8N_PORT: String(await freePort()),
	};
	const dev = new DemoRun(cleanups, ['--watch'], env, copy);
	const [, editor] = await dev.says(/The editor is open at (http:\S+)/);
	dev.type('f');
	await dev.says(/A forged filing of company 00445790: n8n answered (?:401|500)/);
	dev.type('');
	await dev.says(/A filing of company 00445790: n8n verified it and answered 200/);
	await dev.says(/Found 0 errors\. Watching for file changes/);
	const client = new N8nClient({ url: editor });
	await client.login();
	// The text, because n8n writes it again while it is read.
	const shows = async (text: string) =>
		await waitFor(`n8n to show ${text}`, async () =>
			(await client.file('/types/nodes.json')).includes(text),
		);
	await shows('"displayName":"Company Registry Trigger"');

	const source = join(copy, 'nodes/CompanyRegistry/CompanyRegistryTrigger.node');
	await replaceIn(`${source}.ts`, "displayName: 'Company Registry Trigger'", "displayName: 'New'");
	await shows('"displayName":"New"');
	await replaceIn(`${source}.json`, '"alias": [', '"alias": ["new alias", ');
	await shows('"new alias"');

	dev.pressCtrlC();
	expect(await dev.ended).toBe(0);
	// What it has started closes its output a moment before it has gone.
	await waitFor('all to have gone', () => !dev.isRunning);
	expect(await dev.portsInUse()).toEqual([]);
	expect(readdirSync(dev.temporaryFolder).filter((name) => name.startsWith('n8n-'))).toEqual([]);
});
