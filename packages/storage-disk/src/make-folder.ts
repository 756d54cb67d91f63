import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its missing parents; returns the first one created. On a read-only file system, Node's recursive
 * `mkdir` fails with ENOENT; this throws the true cause.
 */
export async function makeFolder(path: string, mode?: number, make: typeof mkdir = mkdir): Promise<string | undefined> {
  try {
    return await make(path, { recursive: true, mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const first = await firstMissing(resolve(path));
    await make(first, { mode });
    await make(path, { recursive: true, mode });
    return first;
  }
}

async function firstMissing(path: string): Promise<string> {
  const parent = dirname(path);
  const parentExists = await stat(parent).then(
    () => true,
    () => false,
  );
  return parentExists || parent === path ? path : firstMissing(parent);
}
