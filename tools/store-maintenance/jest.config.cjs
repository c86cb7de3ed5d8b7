const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('store-maintenance', { servers: 'elasticsearch' });
