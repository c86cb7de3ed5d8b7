const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('suite', { servers: 'all' });
