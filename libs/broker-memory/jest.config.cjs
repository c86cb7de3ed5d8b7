const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('broker-memory');
