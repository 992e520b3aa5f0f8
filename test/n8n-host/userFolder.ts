import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Empty, and named without links, which n8n does not follow when it looks for changed files of a package. */
export async function newUserFolder(): Promise<string> {
	return await mkdtemp(join(await realpath(tmpdir()), 'n8n-host-'));
}
