// n8n's community nodes screen, in a browser: the package is installed there by its name.
// Takes long because this n8n is started for it alone, and its npm installs the package.
import { Cleanups } from '../../n8n-host/cleanups';
import { packedTarball } from '../../n8n-host/installation';
import { startBareN8n, type BareN8n } from '../bareN8n';
import { E2E_TIMEOUT_MS } from '../surroundings';
import { describeInBrowser } from './browser';
import { openEditor } from './editor';

jest.setTimeout(E2E_TIMEOUT_MS);

describeInBrowser("n8n's community nodes screen", () => {
	const cleanups = new Cleanups();
	let n8n: BareN8n;

	beforeAll(async () => {
		n8n = await startBareN8n();
		cleanups.add('stop n8n', n8n.stop);
	});
	afterAll(async () => await cleanups.run());

	it('installs the package by its name, and the node panel has it', async () => {
		const { name, version } = await n8n.registry.publish(packedTarball());
		const { editor } = await openEditor(cleanups, n8n.host.url);

		await editor.installPackage(name);

		const card = await editor.part('community-package-card').innerText();
		expect(card).toContain(name);
		expect(card).toContain(`v${version}`);
		expect(card).toContain('2 nodes');
		await editor.openPackage();
		expect(await editor.part('node-creator-item-name').getByText('On new filing').count()).toBe(1);
	});
});
