import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its missing parents; returns the first created folder. On a read-only file system, Node's
 * recursive `mkdir` fails with ENOENT; this throws the true cause.
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
