import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// n8n-core writes its settings file where this points. Import this module before n8n-core, so
// that tests leave the home directory alone.
const folder = mkdtempSync(join(tmpdir(), 'n8n-user-folder-'));
process.env.N8N_USER_FOLDER = folder;
// Thousands of lines would hide the failures.
process.env.N8N_LOG_LEVEL = 'silent';
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
