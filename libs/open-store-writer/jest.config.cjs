const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('open-store-writer');
