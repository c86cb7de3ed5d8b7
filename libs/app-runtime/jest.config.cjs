const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('app-runtime');
