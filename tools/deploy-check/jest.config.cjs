const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('deploy-check');
