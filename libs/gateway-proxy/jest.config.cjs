const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('gateway-proxy');
