// Shows the package in a real n8n and leaves the editor open until Ctrl-C; with --once it ends by
// itself, with status 0 when everything was seen. With --watch the editor shows each saved change of
// the sources. With --video it sets the stage for docs/maintainers/video.md. `npm start` runs it.
import { Cleanups } from '../n8n-host/cleanups';
import { demonstrate } from './demonstration';
import { RELOADING, rebuildOnChange } from './rebuild';
import { openStage } from './stage';

const INTERRUPTED = 130;

async function main(): Promise<number> {
	const once = process.argv.includes('--once');
	const watch = process.argv.includes('--watch');
	const cleanups = new Cleanups();
	const interrupted = interruption();
	try {
		const showing = process.argv.includes('--video')
			? openStage(cleanups, { tarball: null })
			: demonstrate(cleanups, watch ? RELOADING : {});
		const shown = await Promise.race([showing, interrupted]);
		if (shown === undefined) return INTERRUPTED;
		if (once) {
			console.log('\nAll seen.');
			return 0;
		}
		if (watch) rebuildOnChange(shown.userFolder, cleanups);
		shown.offerEvents();
		console.log(
			`\nThe editor is open at ${shown.editorUrl} - Ctrl-C stops everything, nothing is kept.`,
		);
		await interrupted;
		return 0;
	} catch (error) {
		console.error(`\nThe demo did not work: ${(error as Error).message}`);
		return 1;
	} finally {
		console.log('Stopping …');
		await cleanups.run();
	}
}

/** Resolves at the first signal to end; one that comes a second or more later ends at once. */
async function interruption(): Promise<undefined> {
	return await new Promise((resolve) => {
		let first: number | undefined;
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
			process.on(signal, () => {
				first ??= Date.now();
				// One Ctrl-C can arrive twice: from the terminal and passed on by npm.
				if (Date.now() - first >= 1_000) process.exit(INTERRUPTED);
				resolve(undefined);
			});
		}
	});
}

// What still waits after an interruption must not hold the process up.
void main().then((status) => process.exit(status));
