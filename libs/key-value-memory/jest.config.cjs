const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('key-value-memory');
