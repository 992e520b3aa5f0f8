import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

const repository = join(__dirname, '../..');

const titles = new Map<string, string[]>();

/**
 * Titles of a file's tests as they are written there, outer groups first; none where there is no such file.
 * A title with `%s` is also there once for each row that begins with a text.
 *
 * @param file from the repository's root
 */
export function titlesIn(file: string): string[] {
	const known = titles.get(file);
	if (known) return known;
	const path = join(repository, file);
	if (!existsSync(path)) return [];
	const source = ts.createSourceFile(
		file,
		readFileSync(path, 'utf8'),
		ts.ScriptTarget.Latest,
		true,
	);
	const found: string[] = [];
	collect(source, [], found);
	titles.set(file, found);
	return found;
}

function collect(parent: ts.Node, groups: string[], found: string[]): void {
	ts.forEachChild(parent, (node) => {
		if (!ts.isCallExpression(node)) return collect(node, groups, found);
		const title = titleOf(node);
		if (title === undefined) return collect(node, groups, found);
		const path = [...groups, title];
		const whole = path.join(' › ');
		if (functionOf(node) === 'describe') collect(node, path, found);
		else found.push(whole, ...rowTitles(node, whole));
	});
}

function titleOf(call: ts.CallExpression): string | undefined {
	const [first] = call.arguments;
	const isTest = ['describe', 'it', 'test'].includes(functionOf(call) ?? '');
	return isTest && first && ts.isStringLiteralLike(first) ? first.text : undefined;
}

/** The title of each row of `it.each([['text', …], …])('… %s …')`. */
function rowTitles(call: ts.CallExpression, title: string): string[] {
	const table = ts.isCallExpression(call.expression) ? call.expression.arguments[0] : undefined;
	if (!table || !ts.isArrayLiteralExpression(table)) return [];
	return table.elements.flatMap((row) => {
		const [first] = ts.isArrayLiteralExpression(row) ? row.elements : [row];
		return first && ts.isStringLiteralLike(first) ? title.replace('%s', first.text) : [];
	});
}

/** `it` of `it(...)`, `it.each([...])(...)` and `it.each<...>([...])(...)`. */
function functionOf(node: ts.Node): string | undefined {
	if (ts.isIdentifier(node)) return node.text;
	return ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)
		? functionOf(node.expression)
		: undefined;
}
