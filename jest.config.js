/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/test/n8n-host(-1x)?/node_modules/', '<rootDir>/.cache/'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/test/tsconfig.json', diagnostics: false }] },
};
