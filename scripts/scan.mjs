// `npm run scan`: what n8n's own scanner looks for before it verifies a package, in the sources and
// in the packed package, with inline disables off. The scanner itself downloads a published version;
// this takes its rules and file patterns and applies them to what would be published now. Warnings
// count as well, though n8n lets them pass. Then n8n's own tool lints the sources; see lib/nodeCli.mjs.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import {
	buildScanConfig,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';

import { lintWithNodeCli } from './lib/nodeCli.mjs';
import { packPackage } from './lib/packPackage.mjs';
import { cacheFolder, repository } from './lib/paths.mjs';
import { runScript } from './lib/runScript.mjs';

/** The scanner's own choice for the packed package. */
const PACKED_FILE_PATTERNS = ['**/*.js', 'package.json'];

await runScript(async () => {
	const unpacked = unpack(await packPackage());
	console.log(`The packed package has ${sizeOf(unpacked)}`);
	const found =
		(await scan('the sources', repository, SOURCE_FILE_PATTERNS)) +
		(await scan('the packed package', unpacked, PACKED_FILE_PATTERNS));
	const status = await lintWithNodeCli();
	return found === 0 && status === 0 ? 0 : 1;
});

/** Prints what was found and answers how much that is. */
async function scan(what, folder, patterns) {
	const eslint = new ESLint({
		cwd: folder,
		allowInlineConfig: false,
		// Only the scanner's configuration, not this repository's.
		overrideConfigFile: true,
		overrideConfig: await buildScanConfig(),
	});
	const results = await eslint.lintFiles(patterns);
	const formatter = await eslint.loadFormatter('stylish');
	console.log(await formatter.format(results));
	const found = results.reduce(
		(sum, { errorCount, warningCount }) => sum + errorCount + warningCount,
		0,
	);
	console.log(`${found} findings in ${results.length} files of ${what}`);
	return found;
}

/** As in "412,345 bytes in 123 files". */
function sizeOf(folder) {
	const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	const sizes = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
	const bytes = sizes.reduce((sum, size) => sum + size, 0);
	return `${bytes.toLocaleString('en')} bytes in ${files.length} files`;
}

function unpack(tarball) {
	const folder = join(cacheFolder, 'scanned');
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
	return folder;
}
