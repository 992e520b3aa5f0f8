// npm run schemas: writes the files that test/unit/project/outputSchemas.test.ts checks.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { SCHEMA_FOLDER, outputSchemaFiles } from './outputSchemas';

const root = join(__dirname, '../..');

rmSync(join(root, SCHEMA_FOLDER), { recursive: true, force: true });
for (const [path, content] of outputSchemaFiles()) {
	mkdirSync(dirname(join(root, path)), { recursive: true });
	writeFileSync(join(root, path), content);
}
