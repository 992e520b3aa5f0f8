// `npm run record -- --company 00445790`: what an account of the service does, written to test/fixtures/recorded.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { normaliseBaseUrl } from '../../nodes/CompanyRegistry/registry/credential';
import { changeToMake } from './change';
import { record } from './record';

const USAGE = `npm run record -- --company <number> [--wait <minutes>] [--port <port>] [--into <folder>]
with COMPANY_REGISTRY_BASE_URL, COMPANY_REGISTRY_API_KEY, and in N8N_WEBHOOK_URL a public https address that
leads to http://localhost:<port> (5678 unless given). It creates one webhook for that company, which nobody
can delete; it is paused in the end.`;

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			company: { type: 'string' },
			wait: { type: 'string', default: '60' },
			port: { type: 'string', default: '5678' },
			into: { type: 'string', default: resolve(__dirname, '../fixtures/recorded') },
		},
	});
	const {
		COMPANY_REGISTRY_BASE_URL,
		COMPANY_REGISTRY_API_KEY: apiKey,
		N8N_WEBHOOK_URL,
	} = process.env;
	const baseUrl = normaliseBaseUrl(COMPANY_REGISTRY_BASE_URL);
	const publicUrl = normaliseBaseUrl(N8N_WEBHOOK_URL);
	const { company, into } = values;
	if (!baseUrl || !apiKey || !publicUrl?.startsWith('https://') || !company) throw new Error(USAGE);

	const interrupted = new AbortController();
	process.once('SIGINT', () => interrupted.abort());
	process.once('SIGTERM', () => interrupted.abort());
	const recording = await record({
		...{ baseUrl, apiKey, publicUrl, company, port: Number(values.port) },
		waitMs: Number(values.wait) * 60_000,
		signal: interrupted.signal,
		log: (line) => console.log(line),
	});

	mkdirSync(into, { recursive: true });
	const file = join(into, `${new Date().toISOString().slice(0, 10)}.json`);
	writeFileSync(file, `${JSON.stringify(recording, null, 2)}\n`);
	console.log(
		`Written to ${file}. Read it before you commit it: the answers stand there as they came, but for key, secret, ids and addresses. Compare them with test/simulator. docs/maintainers/recording.md says where each thing goes.`,
	);
	console.log(`\n${changeToMake(recording)}`);
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
