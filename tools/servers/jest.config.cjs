const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('servers', { servers: 'all' });
