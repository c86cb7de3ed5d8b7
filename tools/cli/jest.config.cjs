const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('cli', { servers: 'rabbitmq' });
