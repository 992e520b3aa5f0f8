import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import { globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

// The configuration of n8n's own `n8n-node lint`, written out because that tool cannot be
// installed beside this manifest; `npm run scan` runs it in a copy. Published code gets both n8n
// plugins with inline disables off; tests and tools get the general rules.
const published = ['nodes/**/*.ts', 'credentials/**/*.ts'];

// A folder of the trigger may import from those that stand before it, and everything from `registry` and `shared`.
const folders = [
	'signatures',
	'parameters',
	'records',
	'reports',
	'lifecycle',
	'samples',
	'deliveries',
];
const FILES = ['listSearch'];
const pathOf = (path) => `./nodes/CompanyRegistry/${path}${FILES.includes(path) ? '.ts' : ''}`;
const mayNotImport = (folder, others) => ({ target: pathOf(folder), from: others.map(pathOf) });
const directions = [
	mayNotImport('shared', ['registry', 'lists', 'resources', 'listSearch', 'trigger']),
	mayNotImport('registry', ['lists', 'resources', 'listSearch', 'trigger']),
	mayNotImport('lists', ['resources', 'listSearch', 'trigger']),
	mayNotImport('resources', ['listSearch', 'trigger']),
	mayNotImport('listSearch', ['resources', 'trigger']),
	mayNotImport('trigger', ['resources', 'listSearch']),
	...folders.slice(0, -1).map((folder, place) => {
		const later = folders.slice(place + 1);
		return mayNotImport(
			`trigger/${folder}`,
			later.map((other) => `trigger/${other}`),
		);
	}),
];

export default tseslint.config(
	globalIgnores(['dist', 'coverage', '.cache', '**/node_modules']),
	{ linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
	{
		files: ['**/*.ts'],
		extends: [
			js.configs.recommended,
			tseslint.configs.recommended,
			importX.flatConfigs.recommended,
		],
		settings: { 'import-x/resolver-next': [createTypeScriptImportResolver()] },
		rules: {
			'prefer-spread': 'off',
			'import-x/no-cycle': 'error',
		},
	},
	// A promise that is not awaited loses its error. These rules need types; one program for all
	// files gives them in a third of the time that `projectService` takes.
	{
		files: ['**/*.ts'],
		languageOptions: { parserOptions: { project: 'test/tsconfig.json' } },
		rules: {
			'@typescript-eslint/no-floating-promises': 'error',
			'@typescript-eslint/no-misused-promises': 'error',
		},
	},
	{
		files: published,
		extends: [n8nCommunityNodesPlugin.configs.recommended],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		rules: {
			'no-console': 'error',
			'import-x/no-restricted-paths': ['error', { zones: directions }],
		},
	},
	{
		files: ['package.json'],
		extends: [n8nCommunityNodesPlugin.configs.recommended],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		rules: { ...n8nNodesBase.configs.community.rules },
		languageOptions: {
			parser: tseslint.parser,
			parserOptions: { extraFileExtensions: ['.json'] },
		},
	},
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
);
