/**
 * Builds, then runs Jest with the given arguments. All files of the run are below one folder, so an interrupted run can
 * remove its files and stop its PostgreSQL servers.
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
const PID_FILE = 'postmaster.pid';

const jestArguments = process.argv.slice(2);
/** Only the foreground process group can read keys, which the watch mode of Jest needs. */
const isWatching = jestArguments.some((argument) => argument.startsWith('--watch'));
const folder = makeFolder();

let running;
let receivedSignal;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(signal));

const exitCode = await buildAndTest();
await stopDatabases();
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
process.exit(receivedSignal ? 128 + systemConstants.signals[receivedSignal] : exitCode);

/** Makes the folder of the run, in `TEST_FOLDER` if given. Files in memory save a test run a tenth of its time. */
function makeFolder() {
  const path = mkdtempSync(join(process.env.TEST_FOLDER ?? fastestFolder(), 'back-office-tests-'));
  // If root starts PostgreSQL, it runs as another user, who needs access to the folder.
  chmodSync(path, 0o755);
  return path;
}

function fastestFolder() {
  const memory = '/dev/shm';
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= MIN_FREE_BYTES ? memory : tmpdir();
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
    env: { ...process.env, TMPDIR: folder },
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
  const pids = dataFoldersBelow(folder).map((path) => Number.parseInt(readFileSync(join(path, PID_FILE), 'utf8'), 10));
  for (const pid of pids) sendSignal(pid, 'SIGQUIT');
  const endMs = Date.now() + MAX_STOP_MS;
  while (pids.some((pid) => sendSignal(pid, 0)) && Date.now() < endMs) await pause(20);
}

/** Returns the folders of running servers. Does not enter them, because a server may just remove a database. */
function dataFoldersBelow(path) {
  const entries = readdirSync(path, { withFileTypes: true });
  if (entries.some(({ name }) => name === PID_FILE)) return [path];
  return entries.filter((entry) => entry.isDirectory()).flatMap(({ name }) => dataFoldersBelow(join(path, name)));
}

/** Returns whether the process or process group exists. */
function sendSignal(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
