import { runnerOf } from '@back-office/kernel/testing';
import { mediaStoreContract } from '@back-office/media/testing';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskMediaStore } from './disk-media-store.js';

const HOUR_MS = 3_600_000;
const LEFTOVERS = 50;

let collectedFileCount = 0;
const countCollectedFile = ({ message }: Error): void => {
  if (message.startsWith('Closing file descriptor')) collectedFileCount += 1;
};
beforeAll(() => process.on('warning', countCollectedFile));
afterAll(() => process.off('warning', countCollectedFile));

const makeTempFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'media-'));
const removeFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

describe('DiskMediaStore', () => {
  mediaStoreContract(runnerOf(globalThis), async () => {
    const root = await makeTempFolder();
    const unreachable = DiskMediaStore.openReadOnly(join(root, 'missing'));
    const heldBytes = async (): Promise<number> => {
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      const sizes = await Promise.all(
        files.map(
          // Counts at least one byte per file, so that empty leftovers of a crash are found too.
          async ({ parentPath, name }) => Math.max((await stat(join(parentPath, name))).size, 1),
        ),
      );
      return sizes.reduce((total, size) => total + size, 0);
    };
    const openFiles = async (): Promise<number> => (await readdir('/proc/self/fd')).length + collectedFileCount;
    const reopenAfterCrash = async (): Promise<DiskMediaStore> => {
      const aDayAgo = new Date(Date.now() - 25 * HOUR_MS);
      for (let count = 0; count < LEFTOVERS; count += 1) {
        const leftover = join(root, '.unfinished', `leftover-${count}`);
        await writeFile(leftover, 'half of it');
        await utimes(leftover, aDayAgo, aDayAgo);
      }
      return DiskMediaStore.open(root);
    };
    return {
      store: await DiskMediaStore.open(root),
      close: () => removeFolder(root),
      isTemporary: true,
      unreachable,
      heldBytes,
      reopenAfterCrash,
      ...(process.platform === 'linux' && { openFiles }),
    };
  });
});
