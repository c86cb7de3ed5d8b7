const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('processes', { servers: 'all' });
