// `npm run own -- --service "Acme Registry" --sign-up https://… --reference https://…
//   --repository owner/name --reviewer @name --email …`: writes what only the owner of the package knows wherever a
// placeholder waits for it. Each can be given by itself, `--author "…"` besides (else the repository's
// owner), and `--published` when the package goes to npm. Then, and without flags, it lists the open
// placeholders, and ends with 1 if there are any. Publishing runs that first.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { filesOf } from './lib/files.mjs';
import { repository } from './lib/paths.mjs';
import { runScript } from './lib/runScript.mjs';

const PLACE = 'company-registry-nodes/n8n-nodes-company-registry';
const LATER = 'with the first release';
const BADGES = '<!-- The badges of npm, CI and the licence follow with the first release. -->';

const names = ['service', 'sign-up', 'reference', 'repository', 'reviewer', 'email', 'author'];

/** Where each stands: what it needs to be known, the placeholder, and what takes its place. */
const fillings = [
	{
		needs: ['service', 'sign-up'],
		placeholder: `(its name and sign-up link follow ${LATER})`,
		filled: (own) => `([${own.service}](${own['sign-up']}))`,
	},
	{
		needs: ['reference'],
		placeholder: `the service's reference (link follows ${LATER})`,
		filled: (own) => `[the service's reference](${own.reference})`,
	},
	{ needs: ['repository'], placeholder: PLACE, filled: (own) => own.repository },
	{
		needs: ['reviewer'],
		placeholder: '@company-registry-nodes/maintainers',
		filled: (own) => own.reviewer,
	},
	{
		needs: ['email'],
		placeholder: 'owner-fills-this-in@company-registry-nodes.example',
		filled: (own) => own.email,
	},
	{ needs: ['author'], placeholder: 'Company Registry Nodes', filled: (own) => own.author },
	{ needs: ['published'], placeholder: BADGES, filled: badges },
	{
		needs: ['published'],
		placeholder: '**Version 0.1.0. The package is not published to npm yet.** The tests',
		filled: () => 'The tests',
	},
	{
		needs: ['published'],
		placeholder: 'Once the package is published, open',
		filled: () => 'Open',
	},
	{
		needs: ['published'],
		placeholder: 'Until then, try it from source',
		filled: () => 'To try it from source',
	},
	{
		needs: ['published'],
		placeholder: ' It has not been published to npm yet.',
		filled: () => '',
	},
];

/** Signs of what no one has filled in, also where it is not written as above. */
const open = [
	/company-registry-nodes|Company Registry Nodes|@[\w.-]+\.example\b/,
	/once (?:the package is published|CI has run)|follows? with the first release/i,
	/not (?:been )?published (?:to npm )?yet/,
];

/** What users get or read. */
const places = [
	'package.json',
	'README.md',
	'LICENSE.md',
	'CHANGELOG.md',
	'SECURITY.md',
	'CODE_OF_CONDUCT.md',
	'nodes',
	'credentials',
	'docs',
	'.github',
];

await runScript(() => {
	const own = readOwn();
	const files = places.flatMap(filesOf);
	const given = fillings.filter(({ needs }) => needs.every((name) => name in own));
	const changed = files.filter((file) => fillIn(file, given, own));
	if (changed.length > 0) console.log(`Filled in: ${changed.join(', ')}\n`);
	else if (given.length > 0) console.log('Nothing to change: there is no placeholder for these.\n');

	const left = files.flatMap(openIn);
	if (left.length === 0) console.log('Nothing is open.');
	else
		console.log(
			`${left.join('\n')}\n\n${left.length} placeholders are left: see docs/maintainers/release.md.`,
		);
	return left.length === 0 ? 0 : 1;
});

/** By flag. */
function readOwn() {
	const options = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
	const { values } = parseArgs({ options: { ...options, published: { type: 'boolean' } } });
	const author = values.author ?? values.repository?.split('/')[0];
	const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
	// Where it is now, unless it goes elsewhere.
	const home = manifest.homepage.split('#')[0].replace(PLACE, values.repository ?? PLACE);
	return { ...values, home, ...(author && { author }) };
}

/** Those of npm need the package there, those of GitHub a run of each workflow. */
function badges({ home }) {
	const shields = 'https://img.shields.io/npm';
	const name = 'n8n-nodes-company-registry';
	const ofWorkflow = (title, file) =>
		`[![${title}](${home}/actions/workflows/${file}/badge.svg)](${home}/actions/workflows/${file})`;

	return [
		`[![npm](${shields}/v/${name})](https://www.npmjs.com/package/${name})`,
		ofWorkflow('CI', 'ci.yml'),
		ofWorkflow('Newest n8n', 'newest.yml'),
		`[![Licence](${shields}/l/${name})](LICENSE.md)`,
	].join('\n');
}

/** Whether that changed anything. */
function fillIn(file, given, own) {
	const path = join(repository, file);
	const before = readFileSync(path, 'utf8');
	const after = given.reduce(
		(text, { placeholder, filled }) => text.replaceAll(placeholder, () => filled(own)),
		before,
	);
	if (after !== before) writeFileSync(path, after);
	return after !== before;
}

/** One line for each: file, line number and text. */
function openIn(file) {
	return readFileSync(join(repository, file), 'utf8')
		.split('\n')
		.flatMap((line, index) =>
			open.some((one) => one.test(line)) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
		);
}
