import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import { memoize, sortBy } from 'lodash';
import * as ts from 'typescript';

/** The folder beside the built nodes in which n8n looks for the fields of their outputs. */
export const SCHEMA_FOLDER = 'nodes/CompanyRegistry/__schema__';
const root = join(__dirname, '../..');

/**
 * The files from which n8n's editor offers a node's fields before its first run, by path, as the types of the code
 * have them: none for records, usage and keys, which are not shown.
 * The trigger has no resource, so its file lies beside the action node's folder. The editor of n8n 2.40
 * shows no trigger's fields; n8n hands them out, and its AI workflow builder reads them.
 */
export const outputSchemaFiles = memoize((): Map<string, string> => {
	const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
	const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
	const program = ts.createProgram(fileNames, options);
	const checker = program.getTypeChecker();
	const field = (type: ts.Type | undefined, name: string): ts.Type | undefined => {
		const symbol = type?.getProperty(name);
		return symbol && checker.getTypeOfSymbol(symbol);
	};
	const returned = (type: ts.Type | undefined) => type?.getCallSignatures()[0].getReturnType();
	const schemas = program.getSourceFiles().flatMap((file) => {
		const module = checker.getSymbolAtLocation(file);
		return (module ? checker.getExportsOfModule(module) : []).flatMap((symbol) => {
			const [folder, resource] = posix.dirname(file.fileName).split('/').slice(-2);
			const type = checker.getTypeOfSymbol(symbol);
			// An operation: what its requests bring in the end, a row of a table or an item.
			const items = returned(returned(field(type, 'prepare')));
			const list = items && checker.getAwaitedType(items);
			const [item] = list ? checker.getTypeArguments(list as ts.TypeReference) : [];
			const isOperation = folder === 'resources';
			const path = isOperation ? `v1.0.0/${resource}/${symbol.name}` : 'v1.1.0';
			const output = isOperation ? (field(item, 'json') ?? item) : undefined;
			const ofTrigger = symbol.name === 'outputSchema' ? field(type, '_output') : undefined;
			const schema = schemaOf(checker, output ?? ofTrigger);
			if (!schema.properties) return [];
			const text = `${JSON.stringify({ ...schema, version: 1 }, undefined, 2)}\n`;
			return [[posix.join(SCHEMA_FOLDER, `${path}.json`), text] as const];
		});
	});
	return new Map(schemas);
});

/** The fields that the editor offers of an operation's output. */
export function offeredFields(operation: string): string[] {
	const path = join(root, SCHEMA_FOLDER, 'v1.0.0', `${operation}.json`);
	return Object.keys((JSON.parse(readFileSync(path, 'utf8')) as { properties: object }).properties);
}

interface Schema {
	type: string;
	properties?: object;
	items?: object;
}

/** JSON schema of a type, in the order in which its fields are written. */
function schemaOf(checker: ts.TypeChecker, type: ts.Type | undefined): Schema {
	const plain = type && checker.getNonNullableType(type);
	const parts = plain?.isUnion() ? plain.types : plain ? [plain] : [];
	const is = (flags: ts.TypeFlags) => parts.length > 0 && (parts[0].flags & flags) !== 0;
	if (is(ts.TypeFlags.StringLike)) return { type: 'string' };
	if (is(ts.TypeFlags.NumberLike)) return { type: 'number' };
	if (is(ts.TypeFlags.BooleanLike)) return { type: 'boolean' };
	if (parts.length > 0 && checker.isArrayType(parts[0])) {
		const [items] = checker.getTypeArguments(parts[0] as ts.TypeReference);
		return { type: 'array', items: schemaOf(checker, items) };
	}
	const symbols = sortBy(
		parts.flatMap((part) => part.getProperties()),
		(symbol) => symbol.declarations?.[0].pos,
	);
	const properties = Object.fromEntries(
		symbols.map((one) => [one.name, schemaOf(checker, checker.getTypeOfSymbol(one))]),
	);
	return { type: 'object', ...(symbols.length > 0 && { properties }) };
}
