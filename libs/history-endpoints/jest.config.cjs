const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('history-endpoints');
