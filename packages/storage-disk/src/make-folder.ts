import { chmod, mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;
const TRAVERSABLE_FOLDER = 0o711;

/**
 * Creates the data folder of an installation, unless it exists. If root runs the embedded database in it, other users
 * may traverse the folder, because the database runs as another user.
 */
export async function makeDataFolder(path: string, hasDatabase: boolean): Promise<void> {
  await makeFolder(path, hasDatabase && process.geteuid?.() === 0 ? TRAVERSABLE_FOLDER : PRIVATE_FOLDER);
}

/** Creates a folder that only its owner can use, or removes the access of other users from an existing folder. */
export async function makePrivateFolder(path: string): Promise<void> {
  await makeFolder(path, PRIVATE_FOLDER);
  const { mode, uid } = await stat(path);
  if ((mode & 0o077) !== 0 && uid === process.geteuid?.()) await chmod(path, PRIVATE_FOLDER);
}

/**
 * Creates a folder and its missing parents; returns the first created folder. On a read-only file system, Node's
 * recursive `mkdir` fails with ENOENT; this function throws the real cause instead.
 */
export async function makeFolder(path: string, mode?: number, make: typeof mkdir = mkdir): Promise<string | undefined> {
  try {
    return await make(path, { recursive: true, mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const firstCreated = await findFirstMissing(resolve(path));
    await make(firstCreated, { mode });
    await make(path, { recursive: true, mode });
    return firstCreated;
  }
}

async function findFirstMissing(path: string): Promise<string> {
  const parent = dirname(path);
  const hasParent = await stat(parent).then(
    () => true,
    () => false,
  );
  return hasParent || parent === path ? path : findFirstMissing(parent);
}
