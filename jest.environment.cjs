const { TestEnvironment } = require('jest-environment-node');

/** What a closed server or client may need to end; Jest gives its workers as long at the end of a run. */
const CLOSING_MS = 500;
const CHECK_MS = 20;

const PARENT_CHECK_MS = 500;

// A worker of a Jest that was killed would stay for as long as its test. A listener for 'disconnect' would keep each worker running.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
}, PARENT_CHECK_MS).unref();

/** The names of what packages have added to the global object (jest.runtime.cjs). */
const globalsOfPackages = new Set();

/** Where `expect` keeps its state, in a property that cannot be deleted. */
const EXPECT = Symbol.for('$$jest-matchers-object');

/**
 * Jest's Node.js environment without a global object of its own: tests use that of the process, which jest.runtime.cjs compiles
 * modules for. In a context of node:vm every access to a global (Buffer, Math, Map) calls into JavaScript and takes twenty
 * times as long, and objects of Node.js and of packages are not `instanceof` the classes that tests see. After each file
 * everything that it changed in the global object and in `process` is as before, and a line names what it leaves open: a
 * socket, server, child or timer would keep the process from its end.
 */
class ProcessEnvironment extends TestEnvironment {
  #restore;
  #file;
  #open = countOpen();

  constructor(config, context) {
    super(config, context);
    this.#file = context.testPath;
    this.#restore = [rememberProperties(globalThis), rememberProperties(process), rememberState()];
    const { moduleMocker, fakeTimersModern } = this;
    this.global = globalThis;
    this.moduleMocker = new moduleMocker.constructor(globalThis);
    this.fakeTimersModern = new fakeTimersModern.constructor({ config: config.projectConfig, global: globalThis });
    globalThis[EXPECT]?.customEqualityTesters.splice(0);
  }

  async teardown() {
    await super.teardown();
    for (const restore of this.#restore) restore();
    const left = await this.#leftOpen();
    if (left.length > 0) process.stderr.write(`${this.#file} leaves open: ${left.join(', ')}\n`);
  }

  /** The kinds of which more are open than before the file. */
  async #leftOpen() {
    for (const end = Date.now() + CLOSING_MS; ;) {
      const left = [...countOpen()]
        .filter(([kind, count]) => count > (this.#open.get(kind) ?? 0))
        .map(([kind]) => kind);
      if (left.length === 0 || Date.now() >= end) return left;
      await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
    }
  }
}

/** How many of each kind keep the process from its end. */
function countOpen() {
  const counts = new Map();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Gives a function that removes properties that were added since, and sets back those that were changed. */
function rememberProperties(target) {
  const before = new Map(Reflect.ownKeys(target).map((key) => [key, Reflect.getOwnPropertyDescriptor(target, key)]));
  return () => {
    const added = Reflect.ownKeys(target).filter((key) => !before.has(key) && !globalsOfPackages.has(key));
    for (const key of added) Reflect.deleteProperty(target, key);
    for (const [key, descriptor] of before) {
      const now = Reflect.getOwnPropertyDescriptor(target, key);
      const isSame = ['value', 'get', 'set'].every((part) => now?.[part] === descriptor[part]);
      if (!isSame) Reflect.defineProperty(target, key, descriptor);
    }
  };
}

/** The same for the environment variables, the exit status and the listeners of the process. */
function rememberState() {
  const { exitCode } = process;
  const variables = { ...process.env };
  const listeners = new Map(process.eventNames().map((name) => [name, process.rawListeners(name)]));
  return () => {
    process.exitCode = exitCode;
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
    for (const name of process.eventNames()) {
      const added = process.rawListeners(name).filter((listener) => !listeners.get(name)?.includes(listener));
      for (const listener of added) process.removeListener(name, listener);
    }
  };
}

module.exports = ProcessEnvironment;
module.exports.globalsOfPackages = globalsOfPackages;
