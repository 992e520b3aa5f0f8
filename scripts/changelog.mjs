// `node scripts/changelog.mjs Unreleased` prints this section of CHANGELOG.md, and ends with 1 if it has text.
// Publishing runs this first. `node scripts/changelog.mjs 0.1.0` prints the section of a release, and ends
// with 1 if there is none. A second argument names another changelog.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repository } from './lib/paths.mjs';

const [wanted, file = join(repository, 'CHANGELOG.md')] = process.argv.slice(2);
const sections = readFileSync(file, 'utf8').split(/^(?=## )/m);
const section = sections.find((one) => /^## \[?([^\]\s]+)/.exec(one)?.[1] === wanted) ?? '';
// Without its heading, and without the addresses of links that stand at the end of the page.
const text = section.replace(/^## .*$|^\[[^\]]+\]: .*$/gm, '').trim();
if (text) console.log(text);
if (wanted === 'Unreleased' && text) {
	console.log('\nCHANGELOG.md: move what is under "Unreleased" to the release that brings it.');
	process.exitCode = 1;
} else if (wanted !== 'Unreleased' && !text) {
	console.error(`CHANGELOG.md does not say what ${wanted} brings.`);
	process.exitCode = 1;
}
