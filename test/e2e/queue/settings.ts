import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

const deploymentFile = join(__dirname, '../../../deploy/n8n.env');

/** Redis and PostgreSQL as one test run uses them: with names of its own in each. */
export interface Backends {
	/** redis://[:password@]host:port */
	redis: URL;
	/** postgres://user:password@host:port/database */
	postgres: URL;
	/** Of the PostgreSQL schema, and of every key in Redis. */
	name: string;
}

/** What `deploy/n8n.env` sets for every process. */
export function deploymentSettings(): Record<string, string> {
	return parseEnv(readFileSync(deploymentFile, 'utf8')) as Record<string, string>;
}

/** Settings of the deployment that name a place; the rest is tested as it stands. */
export function placeSettings({ redis, postgres, name }: Backends): Record<string, string> {
	return {
		QUEUE_BULL_REDIS_HOST: redis.hostname,
		QUEUE_BULL_REDIS_PORT: redis.port || '6379',
		QUEUE_BULL_PREFIX: `${name}:bull`,
		N8N_REDIS_KEY_PREFIX: name,
		DB_POSTGRESDB_HOST: postgres.hostname,
		DB_POSTGRESDB_PORT: postgres.port || '5432',
		DB_POSTGRESDB_DATABASE: postgres.pathname.slice(1),
		DB_POSTGRESDB_USER: decodeURIComponent(postgres.username),
		DB_POSTGRESDB_SCHEMA: name,
	};
}

/** What the compose file takes from the operator, because it is secret or their own. */
export function operatorSettings({ redis, postgres }: Backends): Record<string, string> {
	return {
		DB_POSTGRESDB_PASSWORD: decodeURIComponent(postgres.password),
		N8N_ENCRYPTION_KEY: 'only-for-this-test-run',
		// In a cluster it is replaced by one that leads to it.
		N8N_WEBHOOK_URL: 'https://n8n.example/',
		QUEUE_BULL_REDIS_PASSWORD: decodeURIComponent(redis.password),
	};
}
