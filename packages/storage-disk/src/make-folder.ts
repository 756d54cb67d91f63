import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it; answers the first that it has made. Of a file system that may not be written,
 * Node's recursive `mkdir` says ENOENT: then what making the first missing folder says is thrown.
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
  const above = dirname(path);
  const isThere = await stat(above).then(
    () => true,
    () => false,
  );
  return isThere || above === path ? path : firstMissing(above);
}
