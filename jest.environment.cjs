const { TestEnvironment } = require('jest-environment-node');

/**
 * Jest's Node.js environment with `lmdb` loaded once per process. Its native part keeps references to the JavaScript objects
 * of the first load; a second test file of the same worker has its own module registry and would call those of the first.
 */
class Environment extends TestEnvironment {
  async setup() {
    await super.setup();
    Object.defineProperty(this.global, 'lmdbOfTheProcess', { get: () => require('lmdb') });
  }
}

module.exports = Environment;
