const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('simulate', { servers: 'all' });
