const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('in-process');
