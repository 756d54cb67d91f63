const asyncHooks = require('node:async_hooks');
const { register } = require('node:module');
const { pathToFileURL } = require('node:url');
const JestRuntime = require('jest-runtime').default;

process.setSourceMapsEnabled(true);
register(pathToFileURL(require.resolve('./typescript-hooks.mjs')));

const runs = new Map();
const frameworkStorage = new asyncHooks.AsyncLocalStorage();

/**
 * Lets Node load the tests and what they import, once per worker, instead of once per suite in a context of its own.
 * Jest keeps the rest: suites, matchers, timeouts, reports. There are no module mocks, and suites share their globals.
 */
module.exports = class NativeRuntime extends JestRuntime {
  /** The framework is loaded anew for each suite, since its state is the suite's. */
  requireInternalModule(path, ...rest) {
    if (!path.includes('jest-circus')) return super.requireInternalModule(path, ...rest);
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

  /** In watch mode a suite runs again: under another address, or Node would not look at it. */
  async unstable_importModule(path) {
    const run = runs.get(path) ?? 0;
    runs.set(path, run + 1);
    await import(run === 0 ? pathToFileURL(path).href : `${pathToFileURL(path).href}?run=${run}`);
  }
};

/** Each storage that was ever used slows down every promise of the process: one for all suites instead of one for each. */
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
