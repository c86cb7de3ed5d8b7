const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('e2e', { servers: 'all-and-browser' });
