const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('key-value-redis', { servers: 'redis' });
