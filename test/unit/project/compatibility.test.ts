// The documents name the n8n versions that the tests run.
import newest from '../../n8n-host/package.json';
import oldest from '../../n8n-host-2.40/package.json';
import { table } from '../../support/documents';

it.each([newest, oldest].map(({ dependencies }) => dependencies.n8n))(
	'docs/self-hosting.md names %s',
	(version) =>
		expect(table('docs/self-hosting.md', 'n8n', 'Tests').map(([named]) => named)).toContain(
			version,
		),
);
