const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('endpoint-kit');
