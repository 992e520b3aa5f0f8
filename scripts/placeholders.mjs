// `npm run placeholders`: lists what only the owner of the package can fill in and has not yet, and
// ends with 1 where there is any. Publishing runs this first. Another folder than this repository can
// be named.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { repository } from './lib/paths.mjs';

/** Each stands in for what only the owner knows. */
const placeholders = [
	// The author's name, the repository's owner and the e-mail address.
	/company-registry-nodes|Company Registry Nodes|@[\w.-]+\.example\b/,
	// The service's name, and links to its sign-up, its dashboard and its reference: "(its name and a link to
	// its sign-up stand here once the package is published)".
	/stands? here once the package is published/,
	// What README says until then.
	/not (?:been )?published (?:to npm )?yet/,
];

/** What users get or read. CONTRIBUTING.md tells the owner where to look. */
const places = [
	'package.json',
	'README.md',
	'LICENSE.md',
	'CHANGELOG.md',
	'SECURITY.md',
	'nodes',
	'credentials',
	'docs',
	'.github',
];

const folder = process.argv[2] ?? repository;
const found = places.flatMap(filesOf).flatMap(placeholdersIn);
if (found.length > 0) {
	console.log(found.join('\n'));
	console.log(
		`\n${found.length} placeholders are left for the owner to fill in: see "Before a release" in CONTRIBUTING.md.`,
	);
	process.exitCode = 1;
}

function filesOf(path) {
	const absolute = join(folder, path);
	if (!existsSync(absolute)) return [];
	if (!statSync(absolute).isDirectory()) return [path];
	return readdirSync(absolute).flatMap((name) => filesOf(join(path, name)));
}

/** One line for each: file, line number and text. */
function placeholdersIn(file) {
	return readFileSync(join(folder, file), 'utf8')
		.split('\n')
		.flatMap((line, index) =>
			placeholders.some((one) => one.test(line)) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
		);
}
