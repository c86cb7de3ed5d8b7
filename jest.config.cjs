const attacks = require('./tools/attacks/jest.config.cjs');

module.exports = {
  projects: [
    '<rootDir>/apps/*/jest.config.cjs',
    '<rootDir>/libs/*/jest.config.cjs',
    '<rootDir>/tools/!(attacks)/jest.config.cjs',
    ...attacks.projects,
  ],
  testTimeout: 30_000,
  // What large tests leave behind would count in the memory that others measure.
  workerIdleMemoryLimit: '1GB',
};
