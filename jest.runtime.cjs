const { createRequire, isBuiltin } = require('node:module');
const { compileFunction } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');
const { globalsOfPackages } = require('./jest.environment.cjs');

/** What Jest itself resolves: relative and absolute paths, the packages of this workspace, and its own modules. */
const OF_THE_TEST = /^(\.|\/|@antelope-history\/|@jest\/)/;

/**
 * Jest's module loader for jest.environment.cjs. Each test file loads the modules of this workspace anew. Packages are loaded
 * once per process, as Node.js does it: the clients of Elasticsearch and Redis and Express are a thousand files, and the native
 * part of `lmdb` keeps references to the JavaScript objects of its first load. What a package adds to the global object when it is
 * loaded stays there, because it is loaded once.
 */
class ProcessRuntime extends JestRuntime {
  constructor(...args) {
    super(...args);
    const { executor } = this;
    // Jest compiles for the context of the environment. That the method is called is tested in tools/workspace-rules.
    executor.compile = (source, filename) =>
      this._environment.getVmContext() === null
        ? null
        : compileOnce(source, filename, executor.injectedModuleParameters);
  }

  requireModuleOrMock(from, name) {
    if (OF_THE_TEST.test(name) || isBuiltin(name)) return super.requireModuleOrMock(from, name);
    const before = new Set(Reflect.ownKeys(globalThis));
    const loaded = createRequire(from)(name);
    for (const key of Reflect.ownKeys(globalThis)) if (!before.has(key)) globalsOfPackages.add(key);
    return loaded;
  }
}

/** What was compiled last of each module, by its parameters and file. */
const compiled = new Map();

/** The function of a module, which each test file calls for a module of its own: so V8 keeps what it has compiled and optimised. */
function compileOnce(source, filename, parameters) {
  const key = [...parameters, filename].join('\n');
  const known = compiled.get(key);
  if (known?.source === source) return known.run;
  const run = compileFunction(source, parameters, { filename });
  compiled.set(key, { source, run });
  return run;
}

module.exports = ProcessRuntime;
module.exports.default = ProcessRuntime;
