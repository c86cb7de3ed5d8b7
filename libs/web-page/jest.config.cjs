const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = {
  ...createJestConfig('web-page'),
  // The modules import each other as browsers load them: with the suffix of the compiled file.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
};
