const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('reader-stage');
