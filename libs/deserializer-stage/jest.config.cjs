const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('deserializer-stage');
