const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('store-elasticsearch', { servers: 'elasticsearch' });
