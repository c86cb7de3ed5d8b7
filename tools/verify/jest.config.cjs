const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('verify', { servers: 'elasticsearch' });
