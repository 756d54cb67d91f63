import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';
import { findBinaries, packageFolder } from './postgres-binaries.js';
import { identify, isAlive } from './process-lock.js';

const SLOW_TEST_MS = 30_000;
const UNPRIVILEGED_UID = 65_534;
const sources = fileURLToPath(new URL('.', import.meta.url));
const isRoot = process.geteuid?.() === 0;
const canUnprivilegedRead =
  isRoot && spawnSync('ls', [sources], { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID }).status === 0;
const children: ChildProcess[] = [];
let temporary: string;
let compiled: string;

beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'embedded-postgres-'));
  await chmod(temporary, 0o755);
  compiled = join(sources, '../../.cache', basename(temporary));
  await mkdir(compiled, { recursive: true });
  const modules = (await readdir(sources)).filter((name) => !name.endsWith('.test.ts'));
  await Promise.all(modules.map(compile));
  await writeFile(join(compiled, 'user.js'), USER_PROGRAM);
});

afterAll(async () => {
  children.forEach((child) => child.kill('SIGKILL'));
  await Promise.all((await findOwnServers()).map(stopImmediately));
  await rm(compiled, { recursive: true });
  await rm(temporary, { recursive: true, maxRetries: 5 });
}, SLOW_TEST_MS);

const USER_PROGRAM = `
  import { startEmbeddedPostgres } from './embedded-postgres.js';
  const { stop, ...database } = await startEmbeddedPostgres(JSON.parse(process.argv[2]));
  process.once('message', async () => { await stop(); process.disconnect(); });
  process.send(database);
`;

async function compile(name: string): Promise<void> {
  const { code } = await transformFile(join(sources, name), {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  });
  await writeFile(join(compiled, name.replace(/ts$/, 'js')), code);
}

async function findOwnServers(): Promise<number[]> {
  const files = await readdir(temporary, { recursive: true });
  const pidFiles = files.filter((name) => basename(name) === 'postmaster.pid');
  const texts = await Promise.all(pidFiles.map(async (name) => readFile(join(temporary, name), 'utf8')));
  const pids = texts.map((text) => Number(text.split('\n')[0]));
  const commands = pids.map((pid) => spawnSync('ps', ['-o', 'command=', '-p', String(pid)]).stdout.toString());
  return pids.filter((_, index) => commands[index]?.includes(temporary));
}

async function stopImmediately(pid: number): Promise<void> {
  const identity = await identify(pid);
  process.kill(pid, 'SIGQUIT');
  while (await isAlive(identity)) await pause(20);
}

function forkUser(options: { dataDir: string }, identity = {}): ChildProcess {
  const child = fork(join(compiled, 'user.js'), [JSON.stringify(options)], { env: {}, execArgv: [], ...identity });
  children.push(child);
  return child;
}

async function waitForStart(child: ChildProcess): Promise<EmbeddedPostgres> {
  return new Promise((resolve, reject) => {
    child.once('message', (database) => resolve(database as EmbeddedPostgres));
    child.once('exit', () => reject(new Error('It ended before the database was started.')));
  });
}

async function stopUser(child: ChildProcess): Promise<void> {
  child.send('stop');
  await once(child, 'exit');
}

async function query(database: EmbeddedPostgres, sql: string): Promise<Record<string, unknown>[]> {
  const client = await connect(database);
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function connect({ host, user, database }: EmbeddedPostgres): Promise<pg.Client> {
  const client = new pg.Client({ host, port: 5432, user, database });
  await client.connect();
  return client;
}

async function serverOf(dataDir: string): Promise<number> {
  const text = await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').catch(() => '');
  return Number.parseInt(text, 10);
}

describe('the embedded database', () => {
  const dataDir = () => join(temporary, 'it\'s a, "shop"');
  let database: EmbeddedPostgres;
  beforeAll(async () => (database = await startEmbeddedPostgres({ dataDir: dataDir() })), SLOW_TEST_MS);

  it('is durable and uses UTF-8, UTC and no TCP', async () => {
    const names = ['fsync', 'data_checksums', 'server_encoding', 'TimeZone', 'max_connections', 'listen_addresses'];
    const settings = names.map((name) => `current_setting('${name}')`).join(` || ' ' || `);
    const rows = await query(database, `SELECT ${settings} AS settings, lower('ÄÖ') AS lower`);
    expect(rows).toEqual([{ settings: 'on on UTF8 UTC 100 ', lower: 'äö' }]);
  });

  it('keeps its files from other users', async () => {
    const names = (await readdir(database.directory, { recursive: true })).filter(
      (name) => !name.startsWith('binaries-'),
    );
    const entries = await Promise.all(
      names.map(async (name) => ({ name, stats: await lstat(join(database.directory, name)) })),
    );
    // Ignores symbolic links, which have no permissions of their own.
    const openEntries = entries.filter(({ stats }) => !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0);
    expect(openEntries.map(({ name }) => name)).toEqual([]);
  });

  it('lets only its own user reach the socket', async () => {
    const [socket, data] = await Promise.all([stat(database.host), stat(join(database.directory, 'data'))]);
    expect(socket.mode & 0o777).toBe(0o700);
    expect(socket.uid).toBe(data.uid);
    expect(data.uid).not.toBe(0);
  });

  it('keeps its data when it is restarted with open connections', async () => {
    await query(database, 'CREATE TABLE notes AS SELECT 42 AS answer');
    const idle = await connect(database);
    idle.on('error', () => undefined);
    const disconnected = new Promise<void>((resolve) => idle.once('end', resolve));
    await Promise.all([database.stop(), database.stop()]);
    await disconnected;
    await expect(query(database, 'SELECT')).rejects.toThrow('ENOENT');
    database = await startEmbeddedPostgres({ dataDir: dataDir() });
    expect(await query(database, 'SELECT answer FROM notes')).toEqual([{ answer: 42 }]);
  });

  it('keeps running when other code in the process starts it and stops it twice', async () => {
    const secondUser = await startEmbeddedPostgres({ dataDir: dataDir() });
    await secondUser.stop();
    await secondUser.stop();
    expect(await query(database, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('starts even if another process has its former pid', async () => {
    const { uid, gid } = await stat(join(database.directory, 'data'));
    const otherProcess = spawn('sleep', ['60'], { uid, gid });
    children.push(otherProcess);
    await restartWithStalePid(otherProcess.pid ?? 0);
  });

  it('starts even if a zombie has its former pid', async () => {
    const { uid, gid } = await stat(join(database.directory, 'data'));
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], { uid, gid });
    children.push(parent);
    const [zombie] = (await once(parent.stdout, 'data')) as [Buffer];
    await pause(100);
    await restartWithStalePid(Number(zombie));
  });

  async function restartWithStalePid(pid: number): Promise<void> {
    const files = [join(database.directory, 'data/postmaster.pid'), join(database.host, '.s.PGSQL.5432.lock')];
    const texts = await Promise.all(files.map(async (file) => readFile(file, 'utf8')));
    await database.stop();
    await mkdir(database.host, { mode: 0o700 });
    await Promise.all(files.map(async (file, at) => writeFile(file, texts[at]?.replace(/^\d+/, String(pid)) ?? '')));
    database = await startEmbeddedPostgres({ dataDir: dataDir() });
    expect(await query(database, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  }

  it('starts a second server for a copy of its folder', async () => {
    const copy = join(temporary, 'copy');
    const pidFile = 'data/postmaster.pid';
    const live = await readFile(join(database.directory, pidFile));
    await database.stop();
    spawnSync('cp', ['-a', dataDir(), copy]);
    database = await startEmbeddedPostgres({ dataDir: dataDir() });
    await writeFile(join(copy, 'postgres', pidFile), live);
    const copiedDatabase = await startEmbeddedPostgres({ dataDir: copy });
    expect([copiedDatabase.host, await serverOf(copy)]).not.toEqual([database.host, await serverOf(dataDir())]);
    await query(copiedDatabase, 'DROP TABLE notes');
    await copiedDatabase.stop();
    expect(await query(database, 'SELECT answer FROM notes')).toEqual([{ answer: 42 }]);
  });

  it('uses a short socket path in a folder with a long path', async () => {
    const moved = join(temporary, 'long'.repeat(30));
    await database.stop();
    await rename(dataDir(), moved);
    database = await startEmbeddedPostgres({ dataDir: moved });
    expect(dirname(database.host)).toBe(tmpdir());
    expect((await stat(database.host)).mode & 0o777).toBe(0o700);
    expect(await query(database, 'SELECT answer FROM notes')).toEqual([{ answer: 42 }]);
    await database.stop();
    await expect(stat(database.host)).rejects.toThrow('ENOENT');
  });
});

describe('an embedded database that several processes use', () => {
  const options = () => ({ dataDir: join(temporary, 'shared') });

  it(
    'starts once, and stops when the last process has stopped using it',
    async () => {
      const [firstUser, secondUser] = [forkUser(options()), forkUser(options())] as const;
      const [firstView, secondView] = await Promise.all([waitForStart(firstUser), waitForStart(secondUser)]);
      const server = 'SELECT system_identifier, pg_postmaster_start_time() AS since FROM pg_control_system()';
      const expectedServer = await query(firstView, server);
      expect(await query(secondView, server)).toEqual(expectedServer);
      await stopUser(firstUser);
      expect(await query(secondView, server)).toEqual(expectedServer);
      await stopUser(secondUser);
      expect(await findOwnServersIn('shared')).toEqual([]);
    },
    SLOW_TEST_MS,
  );

  it(
    'still serves other processes after the process that started it was killed',
    async () => {
      const owner = forkUser(options());
      await waitForStart(owner);
      const server = await serverOf(options().dataDir);
      owner.kill('SIGKILL');
      const database = await startEmbeddedPostgres(options());
      expect(await serverOf(options().dataDir)).toBe(server);
      expect(await query(database, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await database.stop();
      expect(await findOwnServersIn('shared')).toEqual([]);
    },
    SLOW_TEST_MS,
  );

  it(
    'recovers after both the process that started it and its server were killed',
    async () => {
      const owner = forkUser(options());
      await query(await waitForStart(owner), 'CREATE TABLE orders AS SELECT 7 AS total');
      process.kill(await serverOf(options().dataDir), 'SIGKILL');
      owner.kill('SIGKILL');
      const database = await startEmbeddedPostgres(options());
      expect(await query(database, 'SELECT total FROM orders')).toEqual([{ total: 7 }]);
      await database.stop();
    },
    SLOW_TEST_MS,
  );

  async function findOwnServersIn(name: string): Promise<number[]> {
    const server = await serverOf(join(temporary, name));
    return (await findOwnServers()).filter((pid) => pid === server);
  }
});

describe('a start of the embedded database after initdb was killed', () => {
  it(
    'creates the database from scratch',
    async () => {
      const dataDir = join(temporary, 'interrupted');
      const unfinished = async () =>
        (await readdir(join(dataDir, 'postgres')).catch(() => [])).filter((name) => name.startsWith('initialising-'));
      const killedProcess = forkUser({ dataDir });
      while ((await unfinished()).length === 0) await pause(5);
      await pause(100);
      killedProcess.kill('SIGKILL');
      await once(killedProcess, 'exit');
      expect(await unfinished()).toHaveLength(1);
      const database = await startEmbeddedPostgres({ dataDir });
      expect(await query(database, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      expect(await unfinished()).toEqual([]);
      await database.stop();
    },
    SLOW_TEST_MS,
  );
});

describe('the embedded PostgreSQL on a platform without its package', () => {
  it('fails with a message that advises to set DATABASE_URL', () => {
    const message = 'There is no embedded PostgreSQL for win32-x64: set DATABASE_URL to a PostgreSQL server instead.';
    expect(() => packageFolder('win32', 'x64')).toThrow(new Error(message));
  });
});

(isRoot ? describe : describe.skip)('an embedded server that root starts', () => {
  it(
    'uses the fallback folder when the server’s user cannot reach the data folder',
    async () => {
      const hidden = join(temporary, 'hidden');
      await mkdir(hidden, { mode: 0o700 });
      const options = { dataDir: join(hidden, '.data'), fallbackDir: join(temporary, 'fallback') };
      const database = await startEmbeddedPostgres(options);
      expect(dirname(database.directory)).toBe(options.fallbackDir);
      expect(database.notice).toMatch(/^The database is kept in .*fallback\/hidden-\w+ because .* cannot reach .*\.$/);
      await query(database, 'CREATE TABLE notes ()');
      await database.stop();
      await chmod(hidden, 0o755);
      const restartedDatabase = await startEmbeddedPostgres(options);
      expect(await query(restartedDatabase, 'SELECT FROM notes')).toEqual([]);
      await restartedDatabase.stop();
    },
    SLOW_TEST_MS,
  );

  it(
    'copies the server programs, with links and permissions, when the server’s user cannot reach them',
    async () => {
      const hidden = join(temporary, 'modules');
      await mkdir(hidden, { mode: 0o700 });
      const folder = await installWithoutScripts(hidden);
      const owner = { name: 'nobody', uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID };
      const home = { directory: await mkdtemp(join(temporary, 'home-')), owner, notice: undefined };
      await chmod(home.directory, 0o755);
      const binaries = await findBinaries(home, folder);
      expect(dirname(dirname(binaries))).toBe(home.directory);
      expect(await findBinaries(home, folder)).toBe(binaries);
    },
    SLOW_TEST_MS,
  );
});

async function installWithoutScripts(parent: string): Promise<string> {
  const folder = join(parent, 'package');
  await cp(packageFolder(), folder, { recursive: true, verbatimSymlinks: true });
  const libraries = await readdir(join(folder, 'native/lib'), { withFileTypes: true });
  const links = libraries.filter((entry) => entry.isSymbolicLink());
  await Promise.all(links.map(async ({ name }) => unlink(join(folder, 'native/lib', name))));
  await chmod(join(folder, 'native/bin/postgres'), 0o644);
  return folder;
}

(canUnprivilegedRead ? describe : describe.skip)('an embedded server that an unprivileged user starts', () => {
  it(
    'creates a database that root later runs as this user',
    async () => {
      const dataDir = join(temporary, 'ordinary');
      await mkdir(dataDir);
      await chown(dataDir, UNPRIVILEGED_UID, UNPRIVILEGED_UID);
      const child = forkUser({ dataDir }, { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID });
      const database = await waitForStart(child);
      expect(await query(database, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      expect((await stat(database.directory)).mode & 0o777).toBe(0o700);
      const adopted = await startEmbeddedPostgres({ dataDir });
      await stopUser(child);
      expect(await query(adopted, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await adopted.stop();
      const restarted = await startEmbeddedPostgres({ dataDir });
      expect(await query(restarted, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await restarted.stop();
    },
    SLOW_TEST_MS,
  );

  it('fails on a database of another user', async () => {
    const dataDir = join(temporary, 'foreign');
    await mkdir(join(dataDir, 'postgres'), { recursive: true });
    const output = runUnprivileged(`
      import { startEmbeddedPostgres } from '${join(compiled, 'embedded-postgres.js')}';
      await startEmbeddedPostgres({ dataDir: '${dataDir}' }).catch((error) => console.log(error.message));
    `);
    expect(output).toMatch(
      /^The database in .*foreign.postgres belongs to another user: set DATA_DIR or DATABASE_URL\.$/,
    );
  });

  it(
    'copies the server programs into its folder if only root can make them executable',
    async () => {
      const [modules, directory] = [join(temporary, 'roots'), join(temporary, 'mine')];
      await Promise.all([mkdir(modules), mkdir(directory)]);
      await chown(directory, UNPRIVILEGED_UID, UNPRIVILEGED_UID);
      const folder = await installWithoutScripts(modules);
      const binaries = runUnprivileged(`
        import { findBinaries } from '${join(compiled, 'postgres-binaries.js')}';
        console.log(await findBinaries({ directory: '${directory}' }, '${folder}'));
      `);
      expect(dirname(dirname(binaries))).toBe(directory);
    },
    SLOW_TEST_MS,
  );

  function runUnprivileged(program: string): string {
    const options = { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID, env: {} };
    return spawnSync(process.execPath, ['--input-type=module', '-e', program], options).stdout.toString().trim();
  }
});
