import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = resolve(fileURLToPath(import.meta.url), '../../..');
/** Everything made on the way that is no build output: the packed package, logs, results. */
export const cacheFolder = join(repository, '.cache');
/** What Node has compiled for n8n and jest once makes each later start a third shorter. */
export const compiledFolder = join(cacheFolder, 'compiled');
export const hostFolder = join(repository, 'test', 'n8n-host');
/** The n8n of an older line, such as `2.40`. */
export const olderHostFolder = (line) => `${hostFolder}-${line}`;
/** Where Node and the database of every n8n are made. */
export const nativeFolder = join(repository, 'test', 'n8n-native');
/** Where n8n's own tool for authors of nodes is installed. */
export const nodeCliFolder = join(repository, 'test', 'n8n-node-cli');
/** The Node that every n8n runs on; the tests and the demo run on it as well. */
export const hostNode = join(nativeFolder, 'node_modules', 'node', 'bin', 'node');
