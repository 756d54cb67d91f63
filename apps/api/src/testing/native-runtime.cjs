const asyncHooks = require('node:async_hooks');
const { findSourceMap, register } = require('node:module');
const { pathToFileURL } = require('node:url');
const JestRuntime = require('jest-runtime').default;

process.setSourceMapsEnabled(true);
register(pathToFileURL(require.resolve('./typescript-hooks.mjs')));
// A worker that is done ends at once. To free its memory first takes longer than Jest waits.
if (process.send) process.once('beforeExit', () => process.exit());

/** Source maps of the modules that Node has loaded, as data URLs by module URL. */
class LoadedSourceMaps extends Map {
  get(url) {
    if (!this.has(url)) {
      const payload = findSourceMap(url)?.payload;
      this.set(url, payload && `data:application/json,${encodeURIComponent(JSON.stringify(payload))}`);
    }
    return super.get(url);
  }
}

const sourceMaps = new LoadedSourceMaps();
const runsByPath = new Map();
const frameworkStorage = new asyncHooks.AsyncLocalStorage();

/**
 * Makes Node load test code and its imports once per worker, not once per suite. Jest still provides suites, matchers,
 * timeouts and reports. Suites share globals and cannot mock modules.
 */
module.exports = class NativeRuntime extends JestRuntime {
  /** Loads the test framework again for each suite, because the framework contains the state of the suite. */
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

  getSourceMaps() {
    return sourceMaps;
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** In watch mode, a new URL makes Node load the suite again. */
  async unstable_importModule(path) {
    const run = runsByPath.get(path) ?? 0;
    runsByPath.set(path, run + 1);
    await import(run === 0 ? pathToFileURL(path).href : `${pathToFileURL(path).href}?run=${run}`);
  }
};

/** Loads code with a shared storage, because each additional AsyncLocalStorage slows down every promise. */
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
