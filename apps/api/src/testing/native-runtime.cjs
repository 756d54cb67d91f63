const asyncHooks = require('node:async_hooks');
const { register } = require('node:module');
const { pathToFileURL } = require('node:url');
const JestRuntime = require('jest-runtime').default;

process.setSourceMapsEnabled(true);
register(pathToFileURL(require.resolve('./typescript-hooks.mjs')));

const runsByPath = new Map();
const frameworkStorage = new asyncHooks.AsyncLocalStorage();

/**
 * Lets Node load tests and their imports once per worker instead of once per suite. Jest still provides suites, matchers,
 * timeouts and reports. There are no module mocks, and suites share their globals.
 */
module.exports = class NativeRuntime extends JestRuntime {
  /** Loads the framework again for each suite, because it holds the state of the suite. */
  requireInternalModule(path, ...args) {
    if (!path.includes('jest-circus')) return super.requireInternalModule(path, ...args);
    delete require.cache[path];
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    return withStorage(frameworkStorage, () => require(path));
  }

  setGlobalsForRuntime(globals) {
    super.setGlobalsForRuntime(globals);
    Object.assign(globalThis, globals);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** A new URL makes Node load a suite again in watch mode. */
  async unstable_importModule(path) {
    const run = runsByPath.get(path) ?? 0;
    runsByPath.set(path, run + 1);
    await import(run === 0 ? pathToFileURL(path).href : `${pathToFileURL(path).href}?run=${run}`);
  }
};

/** Shares one storage between suites, because each storage slows down every promise of the process. */
function withStorage(storage, load) {
  const { AsyncLocalStorage } = asyncHooks;
  asyncHooks.AsyncLocalStorage = function SharedStorage() {
    return storage;
  };
  try {
    return load();
  } finally {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }
}
