import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
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
  beforeEach(() => {
    // Below the folder of this run, paths of sockets would be too long.
    folder = mkdtempSync('/tmp/back-office-interrupted-');
    // If root starts PostgreSQL, it runs as another user, who needs access to the folder.
    chmodSync(folder, 0o755);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'leaves no PostgreSQL and no file behind after %s',
    async (signal) => {
      const { DATABASE_URL: _url, TEST_DATABASE: _database, ...environment } = process.env;
      const runner = spawn(process.execPath, [RUNNER, '--selectProjects', 'service', 'process.pg'], {
        env: { ...environment, TEST_FOLDER: folder, TEST_TIER: 'first' },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const [firstOutput] = (await once(runner.stderr, 'data')) as [Buffer];
      expect(String(firstOutput)).toBe('Building …\n');
      // The suite starts a second server, beside the server of the run.
      while (processesBelow(folder).filter((line) => SERVER.test(line)).length < 2) await pause(100);
      runner.kill(signal);
      expect(await once(runner, 'exit')).toEqual([signal === 'SIGINT' ? 130 : 143, null]);
      expect(processesBelow(folder)).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
    },
    60_000,
  );
});
