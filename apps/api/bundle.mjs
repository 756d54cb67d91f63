/**
 * Bundles the built entry points and their libraries into a few files, which load in a third of the time. Packages with
 * their own threads or files stay outside the bundle.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('./', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OUT = `${HERE}dist/bundle/`;
const BUNDLE_INFO = `${OUT}made-of.json`;
const ENTRIES = ['main', 'worker', 'cli'];
const INSTALLED = 'node_modules/.package-lock.json';
const DAY_MS = 86_400_000;

/** An adapter loads files from the folder of its code, so it cannot move into the bundle. */
const ADAPTERS = readdirSync(`${ROOT}packages`)
  .filter((name) => !name.startsWith('database'))
  .map((name) => `@back-office/${name}`);
const EXTERNAL = [...ADAPTERS, 'pino', 'pino-pretty'];

// Bundled CommonJS libraries load built-in modules of Node with `require`, so the banner defines `require`.
const BANNER = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`;

const NAME_HELPER = '__name=(target,value)=>__defProp(target,"name",{value,configurable:true})';
/**
 * Only names of classes are kept, which begin with a capital letter. A name for every function costs a tenth of the CPU
 * of a call, because a call creates many functions. The length stays the same for the source map.
 */
const CLASS_NAME_HELPER = '__name=(t,n)=>n<"["?__defProp(t,"name",{value:n,configurable:true}):t'.padEnd(
  NAME_HELPER.length,
);

/** Drivers of TypeORM. The service uses only the one for PostgreSQL. */
const DRIVER = /node_modules\/typeorm\/driver\/[^/]+\/[^/]+\.js$/;
const NEEDED_DRIVER = /\/driver\/(postgres|types)\//;
const VALIDATOR = /node_modules\/validator\/lib\/[^/]+\.js$/;
const BEYOND_LATIN_1 = /[\u0100-\uffff]/g;

/**
 * Keeps the bundle small in memory. A chunk with one character beyond Latin-1 takes two bytes for each character.
 * esbuild escapes such characters, except in regular expressions.
 *
 * @type {import('esbuild').Plugin}
 */
const SMALL_SOURCES = {
  name: 'small sources',
  setup(build) {
    build.onLoad({ filter: DRIVER }, ({ path }) => (NEEDED_DRIVER.test(path) ? undefined : { contents: '' }));
    build.onLoad({ filter: VALIDATOR }, ({ path }) => ({ contents: escaped(readFileSync(path, 'utf8')) }));
  },
};

/** @param {string} source */
function escaped(source) {
  return source.replaceAll(BEYOND_LATIN_1, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const BUILD_OPTIONS = /** @satisfies {import('esbuild').BuildOptions} */ ({
  absWorkingDir: ROOT,
  entryPoints: ENTRIES.map((name) => `${HERE}dist/${name}.js`),
  outdir: OUT,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // esbuild must not rename classes, because the service stores, logs and compares their names.
  keepNames: true,
  external: EXTERNAL,
  banner: { js: BANNER },
  plugins: [SMALL_SOURCES],
  sourcemap: 'linked',
  minifyWhitespace: true,
  metafile: true,
  write: false,
  logLevel: 'error',
});

/** Rebuilds the bundle when the build or the installed packages have changed. */
export async function bundle() {
  const bundleInfo = read();
  if (bundleInfo && isBundleCurrent() && bundleInfo.installed === digest([INSTALLED])) return;
  const esbuild = await import('esbuild');
  const { metafile, outputFiles } = await esbuild.build(BUILD_OPTIONS);
  await esbuild.stop();
  const inputs = [...Object.keys(metafile.inputs).filter(isOwnSource), 'apps/api/bundle.mjs'];
  mkdirSync(OUT, { recursive: true });
  // A running process may load chunks from this folder, so chunk names contain a hash and entry points are replaced
  // last.
  const isEntry = (/** @type {string} */ path) => ENTRIES.some((name) => path === `${OUT}${name}.js`);
  const entriesLast = [...outputFiles].sort((a, b) => Number(isEntry(a.path)) - Number(isEntry(b.path)));
  for (const { path, contents, text } of entriesLast) {
    const definesHelper = /\b__name=/.test(text);
    if (definesHelper && !text.includes(NAME_HELPER)) throw new Error('esbuild has changed its helper for names');
    replace(path, definesHelper ? text.replace(NAME_HELPER, CLASS_NAME_HELPER) : contents);
  }
  const newBundleInfo = { inputs, digest: digest(inputs), installed: digest([INSTALLED]) };
  replace(BUNDLE_INFO, JSON.stringify(newBundleInfo));
  removeOld(new Set(outputFiles.map(({ path }) => path)));
}

/** Whether the bundle was made from the current build. */
export function isBundleCurrent() {
  const bundleInfo = read();
  return bundleInfo !== undefined && digest(bundleInfo.inputs) === bundleInfo.digest;
}

/** @returns {{ inputs: string[]; digest: string; installed: string } | undefined} */
function read() {
  if (!existsSync(BUNDLE_INFO)) return undefined;
  return /** @type {{ inputs: string[]; digest: string; installed: string }} */ (
    JSON.parse(readFileSync(BUNDLE_INFO, 'utf8'))
  );
}

/** @param {readonly string[]} paths */
function digest(paths) {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(existsSync(ROOT + path) ? readFileSync(ROOT + path) : 'missing');
  return hash.digest('hex');
}

/** @param {string} path @param {string | Uint8Array} contents */
function replace(path, contents) {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

/** @param {ReadonlySet<string>} kept */
function removeOld(kept) {
  for (const name of readdirSync(OUT)) {
    const path = OUT + name;
    const isOld = !kept.has(path) && path !== BUNDLE_INFO && Date.now() - statSync(path).mtimeMs > DAY_MS;
    if (isOld) rmSync(path, { force: true });
  }
}

/** @param {string} path */
function isOwnSource(path) {
  return !path.includes('node_modules/');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle();
