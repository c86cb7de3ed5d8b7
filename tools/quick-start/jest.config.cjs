const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('quick-start', { servers: 'all' });
