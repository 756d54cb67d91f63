/**
 * Builds, then runs Jest with the given arguments. All files of the run are below one folder, so an interrupted run can
 * remove its files and stop its PostgreSQL servers.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { constants as systemConstants, freemem, tmpdir } from 'node:os';
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
const PARENT_CHECK_MS = 500;

const jestArguments = process.argv.slice(2);
/** Only the foreground process group can read keys, which the watch mode of Jest needs. */
const isWatching = jestArguments.some((argument) => argument.startsWith('--watch'));
const parent = process.ppid;
const folder = makeFolder();

let running;
let receivedSignal;
let stopping = Promise.resolve();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
// A signal may end npm without reaching this process.
setInterval(() => process.ppid !== parent && stop('SIGTERM'), PARENT_CHECK_MS).unref();

const exitCode = await buildAndTest();
await stopping;
await stopServers();
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
    return Math.min(bavail * bsize, freemem()) >= MIN_FREE_BYTES ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

async function buildAndTest() {
  process.stderr.write('Building …\n');
  for (const args of [
    ['node_modules/typescript/bin/tsc', '-b'],
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

function stop(signal) {
  if (receivedSignal) return;
  receivedSignal = signal;
  if (running?.exitCode === null) stopping = endGroup(running);
}

async function endGroup(leader) {
  const group = isWatching ? leader.pid : -leader.pid;
  sendSignal(group, 'SIGTERM');
  await Promise.race([once(leader, 'exit'), pause(MAX_STOP_MS)]);
  sendSignal(group, 'SIGKILL');
}

/** Stops the servers of interrupted suites. Each server runs in a process group of its own. */
async function stopServers() {
  for (const pid of findServers()) sendSignal(pid, 'SIGQUIT');
  const endMs = Date.now() + MAX_STOP_MS;
  while (findServers().length > 0 && Date.now() < endMs) await pause(50);
}

/** Returns the ids of the servers that keep their data below the folder of this run. */
function findServers() {
  const lines = execFileSync('ps', ['-ww', '-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(` -D ${folder}/`)).map((line) => Number.parseInt(line, 10));
}

function sendSignal(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
