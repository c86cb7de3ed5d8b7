const { createJestConfig } = require('../../jest.preset.cjs');

/**
 * One Jest project per folder, which the root configuration lists too: `npm test` runs `hostile-chain` and `load` after the
 * others, because they measure time and memory.
 */
function createProject(folder, options) {
  return {
    ...createJestConfig(folder, options),
    rootDir: __dirname,
    testMatch: [`<rootDir>/src/${folder}/**/*.test.ts`, `<rootDir>/test/${folder}/**/*.test.ts`],
  };
}

module.exports = {
  projects: [createProject('fuzz', { servers: 'all' }), createProject('hostile-chain'), createProject('load')],
};
