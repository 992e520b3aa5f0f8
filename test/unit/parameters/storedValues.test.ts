// What workflows have stored in a field that offers values is still offered, and so read (choices.test.ts):
// a value that was renamed would fall to the default without a word.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import { CompanyRegistry } from '../../../nodes/CompanyRegistry/CompanyRegistry.node';
import { CompanyRegistryTrigger } from '../../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { version } from '../../../package.json';

const fixtures = join(__dirname, '../../fixtures');
const fileOf = (release: string) => join(fixtures, release, 'values.json');

/** Each value as `node/field/…/field=value`. */
function valuesIn(path: string, fields: INodeProperties[]): string[] {
	return fields.flatMap(({ name, type, options = [] }) => {
		const own = `${path}/${name}`;
		if (type === 'collection') return valuesIn(own, options as INodeProperties[]);
		if (type === 'fixedCollection') {
			const groups = options as INodePropertyCollection[];
			return groups.flatMap((group) => valuesIn(`${own}/${group.name}`, group.values));
		}
		return options.map((option) => `${own}=${'value' in option ? option.value : ''}`);
	});
}

const offered = [new CompanyRegistry(), new CompanyRegistryTrigger()].flatMap(
	({ description: { name, properties } }) => valuesIn(name, properties),
);

it('those of this release are kept', () => {
	if (existsSync(fileOf(version))) return;
	// Outside CI they are written, to be committed with the release.
	expect(process.env.CI).toBeUndefined();
	writeFileSync(fileOf(version), `${JSON.stringify([...new Set(offered)].sort(), null, '\t')}\n`);
});

const releases = readdirSync(fixtures).filter((name) => /^\d/.test(name));
it.each(releases)('all that %s has offered are offered', (release) => {
	const stored: string[] = JSON.parse(readFileSync(fileOf(release), 'utf8'));
	expect(stored.filter((value) => !offered.includes(value))).toEqual([]);
});
