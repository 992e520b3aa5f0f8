// Each test that `npm run test:compatibility` leaves out in n8n 1.x exists, and is left out alone.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import leftOutIn1x from '../../e2e/leftOutIn1x.json';
import { titlesIn } from '../../support/testTitles';

const reliability = readdirSync(join(__dirname, '../../e2e/reliability'))
	.filter((file) => file.endsWith('.test.ts'))
	.map((file) => `test/e2e/reliability/${file}`);
const titles = ['test/e2e/actions.test.ts', 'test/e2e/trigger.test.ts', ...reliability].flatMap(
	titlesIn,
);

it.each(Object.values(leftOutIn1x).flat())('"%s" is part of one title', (part) => {
	expect(titles.filter((title) => title.includes(part))).toHaveLength(1);
});

it('holds only parts of titles that mean themselves in the pattern which Jest is given', () => {
	expect(Object.values(leftOutIn1x).flat().join('')).toMatch(/^[\w ,]+$/);
});
