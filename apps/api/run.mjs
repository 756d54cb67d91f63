/**
 * Runs an entry point of the service: `node run.mjs main`, `worker`, `cli app create …`. Where everything that a build
 * needs is installed it builds first, else it runs the build that is there. The entry point runs in this very process,
 * so that signals reach it; it comes from the bundle where that is current.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const [name] = process.argv.splice(2, 1);
if (canBuild()) {
  await build();
  if (existsSync(`${ROOT}node_modules/esbuild`)) await tryBundle();
}
const bundled = fileURLToPath(new URL(`dist/bundle/${name}.js`, import.meta.url));
const built = fileURLToPath(new URL(`dist/${name}.js`, import.meta.url));
const isBundled = existsSync(bundled) && (await import('./bundle.mjs')).isBundleCurrent();
const entry = isBundled ? bundled : existsSync(built) ? built : undefined;
if (entry === undefined) {
  process.stderr.write(
    'There is no build, and not all that makes one is installed: run `npm ci && npm run build` first.\n',
  );
  process.exit(1);
}
process.argv[1] = entry;
await import(pathToFileURL(entry).href);

/** Without a bundle the build runs all the same, only slower to start. */
async function tryBundle() {
  try {
    await (await import('./bundle.mjs')).bundle();
  } catch (error) {
    process.stderr.write(`The bundle could not be made: ${/** @type {Error} */ (error).message.split('\n')[0]}\n`);
  }
}

/** TypeScript alone does not do: npm may install it without development dependencies, as a peer of some package. */
function canBuild() {
  const { devDependencies } = /** @type {{ devDependencies: Record<string, string> }} */ (
    JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
  );
  const needed = Object.keys(devDependencies).filter((each) => each === 'typescript' || each.startsWith('@types/'));
  return needed.every((each) => existsSync(`${ROOT}node_modules/${each}`));
}

async function build() {
  // Measurements and fault runs are no part of the service.
  const projects = name?.includes('/') ? ['.', 'apps/api/tsconfig.tools.json'] : [];
  // A group of its own: the compiler is a child of its launcher and has to end with it.
  const compiler = spawn(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, '-b', ...projects], {
    cwd: ROOT,
    stdio: 'inherit',
    detached: true,
  });
  /** @param {NodeJS.Signals} signal */
  const onSignal = (signal) => {
    if (compiler.pid !== undefined) process.kill(-compiler.pid, signal);
    process.exit(128 + constants.signals[signal]);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  /** @type {number | null} */
  const code = await new Promise((resolve) => compiler.once('exit', resolve));
  process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
  if (code !== 0) process.exit(code ?? 1);
}
