import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const RUNNER = fileURLToPath(new URL('run-tests.mjs', import.meta.url));
const SERVER = /\bpostgres -D /;

/** Returns the command lines of all servers and other processes that name the folder. */
function processesBelow(folder: string): string[] {
  const lines = execFileSync('ps', ['-ww', '-eo', 'args'], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(folder));
}

describe('a test run', () => {
  let folder: string;
  let runner: ChildProcess;
  beforeEach(() => {
    // Below the folder of this run, paths of sockets would be too long.
    folder = mkdtempSync('/tmp/back-office-interrupted-');
    // If root starts PostgreSQL, it runs as another user, who needs access to the folder.
    chmodSync(folder, 0o755);
    const { DATABASE_URL: _url, TEST_DATABASE: _database, ...environment } = process.env;
    runner = spawn(process.execPath, [RUNNER, '--selectProjects', 'service', 'process.pg'], {
      env: { ...environment, TEST_FOLDER: folder, TEST_TIER: 'first' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  });
  afterEach(async () => {
    if (runner.exitCode === null && runner.kill()) await once(runner, 'exit');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it.each([
    ['SIGINT', 130, 'its own server', 1],
    ['SIGTERM', 143, 'its own server and the server of a suite', 2],
  ] as const)(
    'ends after %s with code %i, stops %s, and leaves no file behind',
    async (signal, code, _servers, count) => {
      expect(String((await once(runner.stderr as Readable, 'data'))[0])).toBe('Building …\n');
      while (processesBelow(folder).filter((line) => SERVER.test(line)).length < count) {
        expect(runner.exitCode).toBeNull();
        await pause(100);
      }
      runner.kill(signal);
      expect(await once(runner, 'exit')).toEqual([code, null]);
      expect(processesBelow(folder)).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
    },
    180_000,
  );
});
