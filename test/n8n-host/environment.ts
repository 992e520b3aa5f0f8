import { resolve } from 'node:path';

import type { TIMES } from '../../nodes/CompanyRegistry/trigger/lifecycle/schedule';

/** What Node has compiled for n8n once makes each later start a third shorter. */
const compiled = resolve(__dirname, '../../.cache/compiled');

/** Settings of the developer's own n8n, npm, Node, test runner or database: none may reach ours. */
const foreign =
	/^(N8N_|DB_|EXECUTIONS_|QUEUE_|CREDENTIALS_|NODES_|EXTERNAL_|WEBHOOK_URL$|NODE_ENV$|NODE_OPTIONS$|JEST_|npm_)/;

/** Quiet, local and without calls home: nothing here changes how workflows run. */
const quiet = {
	// While its database does not answer in time, n8n answers everything with 503: a busy machine takes long.
	DB_PING_TIMEOUT_MS: '30000',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	// Loading these takes a tenth of n8n's start.
	N8N_DISABLED_MODULES: 'agents,external-secrets,instance-ai,mcp,mcp-registry,oauth-server,otel',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_PYTHON_ENABLED: 'false',
	// As n8n 3 sets it, and as it has to be set there.
	N8N_RUNNERS_TASK_TIMEOUT: '60',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
};

/** An n8n that is reached over its REST interface alone, and runs no Code node. */
export const withoutEditor = {
	N8N_DISABLE_UI: 'true',
	// No process of its own for code: one from outside may come, and none does.
	N8N_RUNNERS_MODE: 'external',
	N8N_RUNNERS_AUTH_TOKEN: 'nobody-comes',
};

/** For an n8n without editor that runs Code nodes all the same. */
export const withCodeNodes = { N8N_RUNNERS_MODE: 'internal' };

/** As in deploy/n8n.env: no engine for what holds no expression. */
export const withLazyEngine = { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' };

/** The trigger waits so long in that n8n, in milliseconds: see times.cjs. */
export function withTimes(times: Partial<typeof TIMES>): Record<string, string> {
	return { TEST_TRIGGER_TIMES: JSON.stringify(times) };
}

/** What n8n is told in a container that has the machine's network. */
export function containerEnvironment(port: number): Record<string, string> {
	return {
		...quiet,
		N8N_PORT: String(port),
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		// The editor is served over plain http on the local host.
		N8N_SECURE_COOKIE: 'false',
	};
}

/** The whole environment of one n8n process; `extra` wins over everything else. */
export function hostEnvironment(
	userFolder: string,
	port: number,
	brokerPort: number,
	extra: Record<string, string>,
): Record<string, string | undefined> {
	const inherited = Object.entries(process.env).filter(([name]) => !foreign.test(name));
	return {
		...Object.fromEntries(inherited),
		...containerEnvironment(port),
		NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? compiled,
		N8N_USER_FOLDER: userFolder,
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		...extra,
		LEASH_PARENT_PID: String(process.pid),
	};
}
