const os = require('node:os');
const attacks = require('./tools/attacks/jest.config.cjs');

module.exports = {
  projects: [
    '<rootDir>/apps/*/jest.config.cjs',
    '<rootDir>/libs/*/jest.config.cjs',
    '<rootDir>/tools/!(attacks)/jest.config.cjs',
    ...attacks.projects,
  ],
  testTimeout: 120_000,
  testSequencer: '<rootDir>/jest.sequencer.cjs',
  // One more than there are processors: many suites wait for servers and for processes that they started.
  maxWorkers: os.availableParallelism() + 1,
  // The heap that large tests leave behind would count in the memory that later tests of the same worker measure.
  workerIdleMemoryLimit: '1GB',
};
