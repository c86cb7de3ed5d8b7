const { TestEnvironment } = require('jest-environment-node');

/**
 * Node's environment with `lmdb` loaded once per process. Its native part keeps what the first to load it gave it, so
 * a second test file of the same worker, with a module registry of its own, would call into the first one's.
 */
class Environment extends TestEnvironment {
  async setup() {
    await super.setup();
    Object.defineProperty(this.global, 'lmdbOfTheProcess', { get: () => require('lmdb') });
  }
}

module.exports = Environment;
