import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import { takeWhile } from 'lodash';

const repository = join(__dirname, '../..');
const markdownIn = (folder: string) =>
	readdirSync(join(repository, folder))
		.filter((name) => name.endsWith('.md'))
		.map((name) => posix.join(folder, name));

/** Pages for users and maintainers, from the repository's root. */
export const pages = ['', 'docs', 'docs/maintainers'].flatMap(markdownIn);
/** Pages beside the code that they describe. */
export const otherPages = ['bench/RESULTS.md', 'deploy/README.md'];

export function readPage(page: string): string {
	return readFileSync(join(repository, page), 'utf8');
}

/** The rows of the page's table whose header row starts with these columns, cells trimmed. */
export function table(page: string, ...columns: string[]): string[][] {
	const lines = readPage(page).split('\n');
	const start = lines.findIndex((line) => line.startsWith(`| ${columns.join(' | ')} |`));
	if (start === -1) throw new Error(`${page} has no table with the columns ${columns.join(', ')}`);
	const rows = takeWhile(lines.slice(start + 2), (line) => line.startsWith('|'));
	return rows.map((line) =>
		line
			.slice(1, -1)
			.split('|')
			.map((cell) => cell.trim()),
	);
}

/** The anchors that GitHub gives the page's headings. */
export function anchors(page: string): string[] {
	const text = readPage(page).replace(/^```[\s\S]*?^```/gm, '');
	return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
		heading
			.toLowerCase()
			.replace(/[^\w -]/g, '')
			.replace(/ /g, '-'),
	);
}

/** The page's links and pictures to what the repository has: path from its root, and anchor if any. */
export function links(page: string): Array<{ path: string; anchor?: string }> {
	return [...readPage(page).matchAll(/\]\((?!https?:|mailto:)([^)#]*)(?:#([^)]+))?\)/g)].map(
		([, path, anchor]) => ({
			path: path === '' ? page : posix.join(posix.dirname(page), path),
			anchor,
		}),
	);
}
