import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { type TestDatabase, makeTestDatabase } from '@back-office/database-postgres/testing';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

describe('the service under npm', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await makeTestDatabase();
  });
  afterAll(() => database.drop());

  it.each([
    ['start', 'SIGTERM'],
    ['worker', 'SIGINT'],
  ] as const)(
    'shuts down `%s` on %s',
    async (script, signal) => {
      const npm = spawn('npm', ['run', script], {
        cwd: ROOT,
        env: {
          PATH: process.env['PATH'],
          PORT: '0',
          DATABASE_URL: `${database.url}${database.url.includes('?') ? '&' : '?'}application_name=below-npm`,
        },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      await waitForOutput(npm, '"ready"', '"working"');
      expect(await connectionsOf(database)).toBeGreaterThan(0);
      const exit = once(npm, 'exit');
      npm.kill(signal);
      expect(await exit).toEqual([0, null]);
      expect(await waitForNoConnections(database)).toBe(0);
    },
    60_000,
  );
});

describe('run.mjs', () => {
  let projectFolder: string;
  beforeEach(() => {
    projectFolder = mkdtempSync(join(tmpdir(), 'back-office-run-'));
    mkdirSync(join(projectFolder, 'apps/api/dist'), { recursive: true });
    for (const file of ['run.mjs', 'node-version.mjs'])
      cpSync(join(ROOT, 'apps/api', file), join(projectFolder, 'apps/api', file));
    writePackage('>=20.19');
    writeFileSync(join(projectFolder, 'tsconfig.json'), '{}');
  });
  afterEach(() => rmSync(projectFolder, { recursive: true, force: true }));
  const writePackage = (node: string, scripts: object = {}) => {
    const devDependencies = { typescript: '1', '@types/express': '1' };
    const content = JSON.stringify({ type: 'module', engines: { node }, scripts, devDependencies });
    writeFileSync(join(projectFolder, 'package.json'), content);
  };
  const installCompiler = (program: string): string => {
    mkdirSync(join(projectFolder, 'node_modules/@types/express'), { recursive: true });
    mkdirSync(join(projectFolder, 'node_modules/typescript/bin'), { recursive: true });
    const tsc = join(projectFolder, 'node_modules/typescript/bin/tsc');
    writeFileSync(tsc, program);
    return tsc;
  };
  const run = (...args: string[]): Promise<readonly [number | null, string, string]> =>
    new Promise((resolve) => {
      const script = join(projectFolder, 'apps/api/run.mjs');
      const child = execFile(process.execPath, [script, ...args], (_error, stdout, stderr) =>
        resolve([child.exitCode, stdout, stderr]),
      );
    });

  it.each([[[]], [['typescript']]])('runs the existing build when only %j is installed', async (installedPackages) => {
    for (const name of installedPackages) mkdirSync(join(projectFolder, 'node_modules', name), { recursive: true });
    writeFileSync(join(projectFolder, 'apps/api/dist/cli.js'), 'console.log(process.argv.slice(2).join())');
    expect(await run('cli', 'app', 'create')).toEqual([0, 'app,create\n', '']);
  });

  it.each(['main', 'worker', 'cli'])('fails `%s` with one line when no build exists', async (name) => {
    const [code, stdout, stderr] = await run(name);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^There is no build.+ npm run build.+\n$/);
  });

  it('builds first when all dependencies are installed, and stops on failure', async () => {
    mkdirSync(join(projectFolder, 'packages'));
    const tsc = installCompiler(`require('fs').writeFileSync('apps/api/dist/cli.js', 'console.log("new")')`);
    const announcement = 'Building the service, which takes up to a minute. Then it runs.\n';
    expect(await run('cli')).toEqual([0, 'new\n', announcement]);
    writeFileSync(tsc, 'process.exit(2)');
    expect(await run('cli')).toEqual([2, '', '']);
  });

  it('announces a slow build on standard error, and what comes next', async () => {
    installCompiler('setTimeout(() => {}, 2_500)');
    for (const name of ['main', 'worker'])
      writeFileSync(join(projectFolder, `apps/api/dist/${name}.js`), 'console.log("{}")');
    const announcement = 'Building the service. Then it prepares its database and prints its address.\n';
    expect(await run('main')).toEqual([0, '{}\n', announcement]);
    expect(await run('worker')).toEqual([0, '{}\n', 'Building the service. Then it runs.\n']);
  }, 15_000);

  it.each(['start', 'worker', 'cli', 'build', 'dev', 'test', 'bench'])(
    'makes `npm run %s` name the Node that it needs, in one line',
    async (script) => {
      const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
      writePackage('>=98.7', scripts);
      installCompiler('console.log("built")');
      const npm = promisify(execFile)('npm', ['run', '-s', script], { cwd: projectFolder });
      const stderr = `Node 98.7 or newer is needed, but this is Node ${process.versions.node}.\n`;
      await expect(npm).rejects.toMatchObject({ code: 1, stdout: '', stderr });
    },
  );

  it('runs the existing build of a release archive, which has no sources, when all dependencies are installed', async () => {
    rmSync(join(projectFolder, 'tsconfig.json'));
    installCompiler('process.exit(2)');
    writeFileSync(join(projectFolder, 'apps/api/dist/cli.js'), 'console.log("built")');
    expect(await run('cli')).toEqual([0, 'built\n', '']);
  });
});

function waitForOutput(child: ChildProcess, ...words: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (words.some((word) => output.includes(word))) resolve();
    });
    child.once('exit', (code) => reject(new Error(`It ended with ${code}: ${output}`)));
  });
}

/** PostgreSQL may end a connection a moment after the client, so only a connection that stays for 5 s is a leak. */
async function waitForNoConnections(database: TestDatabase): Promise<number> {
  for (let tries = 0; tries < 50; tries += 1) {
    if ((await connectionsOf(database)) === 0) return 0;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return connectionsOf(database);
}

async function connectionsOf({ url }: TestDatabase): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(
    `select count(*)::int as count from pg_stat_activity where application_name = 'below-npm'`,
  );
  await client.end();
  return rows[0].count as number;
}
