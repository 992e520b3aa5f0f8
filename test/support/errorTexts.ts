import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import ts from 'typescript';

const repository = join(__dirname, '../..');

/** Words that a source file gives to a person when something goes wrong. */
export interface ErrorText {
	/** File and line. */
	at: string;
	/** Text in the source; `…` stands for what is known at run time only. */
	message: string;
	/** Undefined where there is none; `…` where it comes from elsewhere. */
	description?: string;
}

/**
 * The message and description in every `new NodeOperationError` and `new NodeApiError` below
 * `nodes`, and in every object with a message and a description, which such errors are made from.
 */
export function errorTexts(): ErrorText[] {
	const folder = join(repository, 'nodes');
	return readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.flatMap((name) => textsIn(join(folder, name)));
}

function textsIn(path: string): ErrorText[] {
	const source = ts.createSourceFile(
		path,
		readFileSync(path, 'utf8'),
		ts.ScriptTarget.ES2022,
		true,
	);
	const found: ErrorText[] = [];
	const visit = (node: ts.Node): void => {
		const texts = textsOf(node);
		if (texts) {
			const { line } = source.getLineAndCharacterOfPosition(node.getStart());
			found.push({ at: `${relative(repository, path)}:${line + 1}`, ...texts });
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

function textsOf(node: ts.Node): Omit<ErrorText, 'at'> | undefined {
	if (ts.isNewExpression(node) && /^Node(Operation|Api)Error$/.test(node.expression.getText())) {
		const [message, options] = [node.arguments?.at(1), node.arguments?.at(2)];
		return { message: message ? read(message) : '', description: textOf(options, 'description') };
	}
	const [message, description] = [textOf(node, 'message'), textOf(node, 'description')];
	return message && description ? { message, description } : undefined;
}

/** Of an object written out. */
function textOf(object: ts.Node | undefined, name: string): string | undefined {
	if (!object || !ts.isObjectLiteralExpression(object)) return undefined;
	const property = object.properties.find((candidate) => candidate.name?.getText() === name);
	if (!property) return undefined;
	return ts.isPropertyAssignment(property) ? read(property.initializer) : '…';
}

function read(expression: ts.Expression): string {
	if (ts.isStringLiteralLike(expression)) return expression.text;
	if (ts.isTemplateExpression(expression)) {
		const { head, templateSpans } = expression;
		return head.text + templateSpans.map(({ literal }) => `…${literal.text}`).join('');
	}
	return '…';
}
