import { statfs } from 'node:fs/promises';
import type { Chore } from './background.js';
import type { Logger } from './logger.js';

const CHECK_EVERY_MS = 60_000;
const MIN_FREE_BYTES = 1024 ** 3;

/** Returns the bytes that this process may still use on the file system of the directory. */
export async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/** Warns each minute while little space is left, because reads and the health check work until the end. */
export function freeSpaceChoreOf(directory: string, logger: Logger, minBytes = MIN_FREE_BYTES): Chore {
  return {
    name: 'check the free space',
    intervalMs: CHECK_EVERY_MS,
    run: async () => {
      const freeBytes = await freeBytesOf(directory);
      if (freeBytes < minBytes) logger.warn({ directory, free_bytes: freeBytes }, 'little space left');
      return false;
    },
  };
}
