// `npm run unreleased`: lists what CHANGELOG.md has under "Unreleased", and ends with 1 where there is
// anything. Publishing runs this first. Another changelog can be named.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repository } from './lib/paths.mjs';

const changelog = readFileSync(process.argv[2] ?? join(repository, 'CHANGELOG.md'), 'utf8');
const [, section = ''] = changelog.split(/^## \[?Unreleased\]?.*$/im);
const [unreleased] = section.split(/^## /m);
const entries = unreleased.split('\n').filter((line) => line.trim() !== '');
if (entries.length > 0) {
	console.log(entries.join('\n'));
	console.log('\nCHANGELOG.md: move what is under "Unreleased" to the release that brings it.');
	process.exitCode = 1;
}
