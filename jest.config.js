/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: '<rootDir>/test/support/testEnvironment.ts',
	// Many tests start a service and send hundreds of requests: a busy machine needs its time.
	testTimeout: 30_000,
	testSequencer: '<rootDir>/test/support/sequencer.cjs',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
	modulePathIgnorePatterns: [
		'<rootDir>/dist/',
		'<rootDir>/test/n8n-[^/]+/node_modules/',
		'<rootDir>/.cache/',
	],
	// One line for each file; --verbose lists the tests.
	verbose: false,
	// For `npm test -- --coverage`: what unit and integration tests reach. A real n8n counts nothing here.
	collectCoverageFrom: ['nodes/**/*.ts', 'credentials/**/*.ts'],
	coverageReporters: ['text', 'html'],
	coverageThreshold: { global: { branches: 95, functions: 95, lines: 95, statements: 95 } },
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/test/tsconfig.json', diagnostics: false }],
	},
};
