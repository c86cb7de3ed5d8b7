const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('trace-endpoints');
