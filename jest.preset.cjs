const path = require('node:path');

/**
 * One Jest configuration for every project: TypeScript through swc, workspace packages read from their sources
 * (the `@antelope-history/source` export condition), so that a test needs no build unless it starts an app or serves the web page.
 * `servers` (elasticsearch, rabbitmq, redis, all, or all-and-browser) run during the tests of the project; `describeWithService` of
 * tools/servers passes their URLs.
 */
function createJestConfig(displayName, { servers } = {}) {
  return {
    displayName,
    testEnvironment: path.join(__dirname, 'jest.environment.cjs'),
    runtime: path.join(__dirname, 'jest.runtime.cjs'),
    testEnvironmentOptions: { customExportConditions: ['@antelope-history/source', 'node', 'require', 'default'] },
    testMatch: ['<rootDir>/src/**/*.test.ts', '<rootDir>/test/**/*.test.ts'],
    setupFilesAfterEnv: [path.join(__dirname, 'jest.buffers.cjs')],
    transform: {
      '^.+\\.ts$': ['@swc/jest', { swcrc: false, jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
    },
    modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/out-tsc/'],
    cacheDirectory: path.join(__dirname, 'node_modules/.cache/jest'),
    ...(servers && {
      globalSetup: path.join(__dirname, `tools/servers/src/jest/setup-${servers}.ts`),
      globalTeardown: path.join(__dirname, 'tools/servers/src/jest/teardown.ts'),
    }),
  };
}

module.exports = { createJestConfig };
