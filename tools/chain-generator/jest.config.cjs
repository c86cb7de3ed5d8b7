const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('chain-generator');
