// The n8n that is tested is the one that is named, and what `npm run test:compatibility` leaves out in
// n8n 1.x exists, and is left out alone.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import leftOutIn1x from '../../e2e/leftOutIn1x.json';
import newer from '../../n8n-host/package.json';
import release1 from '../../n8n-host-1x/package.json';
import older from '../../n8n-host-2.40/package.json';
import { readPage } from '../../support/documents';

const e2e = join(__dirname, '../../e2e');
const reliability = readdirSync(join(e2e, 'reliability'))
	.filter((file) => file.endsWith('.test.ts'))
	.map((file) => join('reliability', file));
const source = ['actions.test.ts', 'compatibility.test.ts', ...reliability]
	.map((file) => readFileSync(join(e2e, file), 'utf8'))
	.join('\n');

it.each(Object.values(leftOutIn1x).flat())(
	'"%s" is part of one title, and means itself in the pattern which Jest is given',
	(part) => {
		expect(source.split(part)).toHaveLength(2);
		expect(part).toMatch(/^[\w ,]+$/);
	},
);

it.each([newer, older, release1].map(({ dependencies }) => dependencies.n8n))(
	'docs/compatibility.md names %s',
	(version) => expect(readPage('docs/compatibility.md')).toContain(`n8n ${version} `),
);
