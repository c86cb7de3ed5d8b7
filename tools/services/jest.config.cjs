const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('services', { servers: 'all' });
