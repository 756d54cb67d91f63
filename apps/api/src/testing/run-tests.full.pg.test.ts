import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const MAX_TRIES = 100;
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
    const jestArguments = ['--selectProjects', 'service', '--testPathPatterns', 'process.pg'];
    runner = spawn('npm', ['test', '--', ...jestArguments], {
      cwd: ROOT,
      env: { ...environment, TEST_FOLDER: folder, TEST_TIER: 'first' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  });
  afterEach(async () => {
    if (runner.exitCode === null && runner.kill()) await once(runner, 'exit');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it.each([
    ['SIGINT', 'its own server', 1],
    ['SIGTERM', 'its own server and the server of a suite', 2],
  ] as const)(
    'ends after %s to npm, stops %s, and leaves no file behind',
    async (signal, _servers, count) => {
      expect(String((await once(runner.stderr as Readable, 'data'))[0])).toBe('Building …\n');
      while (processesBelow(folder).filter((line) => SERVER.test(line)).length < count) {
        expect(runner.exitCode).toBeNull();
        await pause(100);
      }
      runner.kill(signal);
      const [code] = (await once(runner, 'exit')) as [number | null];
      expect(code).not.toBe(0);
      for (let tries = 0; tries < MAX_TRIES && readdirSync(folder).length > 0; tries += 1) await pause(100);
      expect(readdirSync(folder)).toEqual([]);
      expect(processesBelow(folder)).toEqual([]);
    },
    180_000,
  );
});
