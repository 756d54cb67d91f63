/**
 * Builds, then runs Jest with the given arguments. All files of the run are below two folders, so an interrupted run
 * can remove its files and stop its PostgreSQL servers.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { constants as systemConstants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const JEST = [
  '--min-semi-space-size=64',
  '--max-semi-space-size=128',
  '--single-threaded-gc',
  'node_modules/jest/bin/jest.js',
];
const MIN_FREE_BYTES = 4 * 2 ** 30;
const MAX_STOP_MS = 5_000;

const jestArguments = process.argv.slice(2);
/** Only the foreground process group can read keys, which the watch mode of Jest needs. */
const isWatching = jestArguments.some((argument) => argument.startsWith('--watch'));
const [temporaryFolder, databaseFolder] = makeFolders();

let running;
let receivedSignal;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(signal));

const exitCode = await buildAndTest();
await stopDatabases();
for (const folder of [temporaryFolder, databaseFolder]) rmSync(folder, { recursive: true, force: true });
process.exit(receivedSignal ? 128 + systemConstants.signals[receivedSignal] : exitCode);

/** Makes a folder for temporary files and one for databases. `TEST_FOLDER` chooses their parent. */
function makeFolders() {
  const parent = process.env.TEST_FOLDER;
  return [parent ?? tmpdir(), parent ?? fastestFolder()].map((place) => {
    const folder = mkdtempSync(join(place, 'back-office-tests-'));
    // If root starts PostgreSQL, it runs as another user, who needs access to the folder.
    chmodSync(folder, 0o755);
    return folder;
  });
}

/** Prefers a file system in memory, because each suite copies a database of 1,000 files and drops it again. */
function fastestFolder() {
  const folder = '/dev/shm';
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= MIN_FREE_BYTES ? folder : tmpdir();
  } catch {
    return tmpdir();
  }
}

async function buildAndTest() {
  process.stderr.write('Building …\n');
  for (const args of [
    ['node_modules/typescript/bin/tsc', '-b'],
    ['apps/api/bundle.mjs'],
    [...JEST, ...jestArguments],
  ]) {
    const code = await runNode(args);
    if (code !== 0) return code;
  }
  return 0;
}

/** Runs Node in a process group of its own, so that one signal ends the processes that suites have started, too. */
async function runNode(args) {
  if (receivedSignal) return 1;
  running = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: temporaryFolder, TEST_DATABASE_FOLDER: databaseFolder },
    stdio: 'inherit',
    detached: !isWatching,
  });
  const [code] = await once(running, 'exit');
  return code ?? 1;
}

async function stop(signal) {
  receivedSignal ??= signal;
  const { pid, exitCode: code } = running ?? {};
  if (pid === undefined || code !== null) return;
  const group = isWatching ? pid : -pid;
  sendSignal(group, 'SIGTERM');
  await Promise.race([once(running, 'exit'), pause(MAX_STOP_MS, undefined, { ref: false })]);
  sendSignal(group, 'SIGKILL');
}

/** Stops the servers of suites that were interrupted. Each server runs in a process group of its own. */
async function stopDatabases() {
  const pids = [temporaryFolder, databaseFolder].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('postmaster.pid'))
      .map((file) => Number.parseInt(readFileSync(join(folder, file), 'utf8'), 10)),
  );
  for (const pid of pids) sendSignal(pid, 'SIGQUIT');
  const endMs = Date.now() + MAX_STOP_MS;
  while (pids.some((pid) => sendSignal(pid, 0)) && Date.now() < endMs) await pause(20);
}

/** Returns whether the process or process group exists. */
function sendSignal(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
