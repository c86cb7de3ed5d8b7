const { createJestConfig } = require('../../jest.preset.cjs');

module.exports = createJestConfig('dead-letters', { servers: 'rabbitmq' });
