import { makeDataFolder, makeFolder } from '@back-office/storage-disk';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, chmod, chown, constants, lstat, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** User that runs PostgreSQL if the process is root, because PostgreSQL refuses to run as root. */
export interface Owner {
  name: string;
  uid: number;
  gid: number;
}

export interface Home {
  directory: string;
  owner: Owner | undefined;
  notice: string | undefined;
}

export const SOCKET_NAME = '.s.PGSQL.5432';

// Linux allows socket paths of 108 bytes; macOS allows 104, including the final zero.
const MAX_SOCKET_PATH_BYTES = 100;

export function dataFolderOf(home: { directory: string }): string {
  return join(home.directory, 'data');
}

export async function prepareHome(dataDir: string, fallbackDir: string): Promise<Home> {
  await makeDataFolder(dataDir, true);
  const home = await chooseHome(await realpath(dataDir), fallbackDir);
  if (await makeFolder(dirname(home.directory))) await chmod(dirname(home.directory), 0o755);
  await makeFolder(home.directory);
  const directory = await realpath(home.directory);
  if ((await stat(directory)).uid === process.geteuid?.()) await chmod(directory, home.owner ? 0o711 : 0o700);
  await access(directory, constants.W_OK).catch(() => {
    throw new Error(`The database in ${directory} belongs to another user: set DATA_DIR or DATABASE_URL.`);
  });
  return { ...home, directory };
}

/** Returns true if the installation in `dataDir` has a database, even one that this process cannot read. */
export async function hasDatabase(dataDir: string, fallbackDir: string): Promise<boolean> {
  const exists = (path: string): Promise<boolean> =>
    lstat(path).then(
      () => true,
      (error: unknown) => !hasCode(error, 'ENOENT'),
    );
  if (!(await exists(dataDir))) return false;
  const { directory } = await chooseHome(await realpath(dataDir), fallbackDir);
  return exists(dataFolderOf({ directory }));
}

async function chooseHome(dataDir: string, fallbackDir: string): Promise<Home> {
  const nearDirectory = join(dataDir, 'postgres');
  if (process.geteuid?.() !== 0) return { directory: nearDirectory, owner: undefined, notice: undefined };
  const fallbackDirectory = join(fallbackDir, `${basename(dirname(dataDir))}-${shortHash(dataDir)}`);
  const accounts = await readAccounts();
  const existingDatabase =
    (await findDatabase(nearDirectory, accounts)) ?? (await findDatabase(fallbackDirectory, accounts));
  const owner = existingDatabase?.owner ?? findUnprivilegedUser(accounts);
  const directory =
    existingDatabase?.directory ?? ((await canReach(owner, dataDir)) ? nearDirectory : fallbackDirectory);
  const notice = `The database is kept in ${fallbackDirectory} because the user ${owner.name}, which runs it, cannot reach ${dataDir}.`;
  return { directory, owner, notice: directory === fallbackDirectory ? notice : undefined };
}

async function readAccounts(): Promise<Owner[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n');
  return lines.map((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return { name, uid: Number(uid), gid: Number(gid) };
  });
}

async function findDatabase(
  directory: string,
  accounts: Owner[],
): Promise<{ directory: string; owner: Owner } | undefined> {
  const folder = await stat(dataFolderOf({ directory })).catch(() => undefined);
  if (!folder) return undefined;
  if (folder.uid === 0)
    throw new Error(`${dataFolderOf({ directory })} belongs to root, which may not run PostgreSQL.`);
  const name = accounts.find(({ uid }) => uid === folder.uid)?.name ?? String(folder.uid);
  return { directory, owner: { name, uid: folder.uid, gid: folder.gid } };
}

function findUnprivilegedUser(accounts: Owner[]): Owner {
  const unprivilegedAccounts = accounts.filter(({ uid }) => uid > 0);
  const account =
    unprivilegedAccounts.find(({ name }) => name === 'postgres') ??
    unprivilegedAccounts.find(({ name }) => name === 'nobody');
  if (account) return account;
  throw new Error(
    'The embedded database cannot run as root and finds no user "postgres" or "nobody": set DATABASE_URL.',
  );
}

async function canReach(owner: Owner, directory: string): Promise<boolean> {
  return (await run('sh', ['-c', 'cd "$1"', 'sh', directory], owner)).succeeded;
}

/** Protects the server by the permissions of this folder, because the server trusts every local connection. */
export async function prepareSocketDirectory(home: Home): Promise<string> {
  const defaultDirectory = join(home.directory, 'run');
  const isTooLong = Buffer.byteLength(join(defaultDirectory, SOCKET_NAME)) > MAX_SOCKET_PATH_BYTES;
  const directory = isTooLong ? join(tmpdir(), `back-office-${shortHash(home.directory)}`) : defaultDirectory;
  await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  if (home.owner && (await lstat(directory)).uid === 0) await chown(directory, home.owner.uid, home.owner.gid);
  const folder = await lstat(directory);
  const isPrivate = folder.isDirectory() && (folder.mode & 0o077) === 0;
  if (!isPrivate || folder.uid !== (home.owner?.uid ?? process.geteuid?.())) {
    throw new Error(`${directory} is not a private folder of the database's user: remove it.`);
  }
  return directory;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

export function childOptions(owner: Owner | undefined) {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  return { cwd: '/', env, ...(owner && { uid: owner.uid, gid: owner.gid }) };
}

export async function run(
  command: string,
  parameters: string[],
  owner?: Owner,
): Promise<{ succeeded: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(command, parameters, childOptions(owner), (error, stdout, stderr) => {
      resolve({ succeeded: !error, output: `${stdout}${stderr}`.trim() || (error?.message ?? '') });
    });
  });
}

export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
