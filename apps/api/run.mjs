/**
 * Runs an entry point of the service: `node run.mjs main`, `worker` or `cli app create …`. It builds first if all build
 * dependencies are installed. The entry point runs in this process, so signals reach it.
 */
import './node-version.mjs';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A build without changes takes less time, and is not announced. */
const SILENT_BUILD_MS = 2_000;

const [name] = process.argv.splice(2, 1);
const built = fileURLToPath(new URL(`dist/${name}.js`, import.meta.url));
if (canBuild()) {
  const announcement = setTimeout(announceBuild, existsSync(built) ? SILENT_BUILD_MS : 0);
  await build();
  clearTimeout(announcement);
}
if (!existsSync(built)) {
  process.stderr.write(
    'There is no build, and not all that makes one is installed: run `npm ci && npm run build` first.\n',
  );
  process.exit(1);
}
process.argv[1] = built;
await import(pathToFileURL(built).href);

/** Writes to standard error, because standard output may be JSON. */
function announceBuild() {
  const duration = existsSync(built) ? '' : ', which takes up to a minute';
  const nextSteps = name === 'main' ? 'it prepares its database and prints its address' : 'it runs';
  process.stderr.write(`Building the service${duration}. Then ${nextSteps}.\n`);
}

/** Checks all build dependencies, because npm may install TypeScript alone as a peer of another package. */
function canBuild() {
  // A release archive has no sources.
  if (!existsSync(`${ROOT}tsconfig.json`)) return false;
  const { devDependencies } = /** @type {{ devDependencies: Record<string, string> }} */ (
    JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
  );
  const buildDependencies = Object.keys(devDependencies).filter(
    (dependency) => dependency === 'typescript' || dependency.startsWith('@types/'),
  );
  return buildDependencies.every((dependency) => existsSync(`${ROOT}node_modules/${dependency}`));
}

async function build() {
  // `tsc` starts the compiler as a child process; a process group lets one signal end both processes.
  const compiler = spawn(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, '-b'], {
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
