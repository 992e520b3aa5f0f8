// The n8n that is tested is the one that is named.
import newest from '../../n8n-host/package.json';
import oldest from '../../n8n-host-2.40/package.json';
import { readPage } from '../../support/documents';

it.each([newest, oldest].map(({ dependencies }) => dependencies.n8n))(
	'docs/compatibility.md names %s',
	(version) => expect(readPage('docs/compatibility.md')).toContain(`n8n ${version} `),
);
