/**
 * Joins the built entry points and the libraries that they load into a few files, which a start reads in a third of the
 * time. Packages of this repository stay apart: a team may swap them, and adapters share their classes.
 */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('./', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OUT = `${HERE}dist/bundle/`;
const INPUTS = `${OUT}inputs.json`;
const ENTRIES = ['main', 'worker', 'cli'];

/** They find files of their own beside their code. */
const APART = ['@back-office/*', 'pino', 'pino-pretty', 'swagger-ui-dist'];

// CommonJS libraries ask for Node's own modules by `require`.
const BANNER = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`;

/** Makes the bundle anew unless it is newer than all that it is made of. */
export async function bundle() {
  if (isCurrent()) return;
  const esbuild = await import('esbuild');
  rmSync(OUT, { recursive: true, force: true });
  const { metafile } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES.map((name) => `${HERE}dist/${name}.js`),
    outdir: OUT,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Names of classes are stored, logged and compared.
    keepNames: true,
    external: APART,
    banner: { js: BANNER },
    sourcemap: 'linked',
    minifyWhitespace: true,
    metafile: true,
    logLevel: 'error',
  });
  await esbuild.stop();
  // Files of libraries carry no date of their installation.
  const inputs = [
    ...Object.keys(metafile.inputs).filter(isOurs),
    'node_modules/.package-lock.json',
    'apps/api/bundle.mjs',
  ];
  writeFileSync(INPUTS, JSON.stringify(inputs));
}

function isCurrent() {
  if (!existsSync(INPUTS)) return false;
  const made = statSync(INPUTS).mtimeMs;
  const inputs = /** @type {string[]} */ (JSON.parse(readFileSync(INPUTS, 'utf8')));
  return inputs.every((each) => existsSync(ROOT + each) && statSync(ROOT + each).mtimeMs < made);
}

/** @param {string} path */
function isOurs(path) {
  return !path.includes('node_modules/');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle();
