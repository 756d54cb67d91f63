import type { ByteRange, MediaStore, StoredBytes, StoredObject } from '@back-office/media';
import { randomUUID } from 'node:crypto';
import { copyFile, link, open, opendir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, makePrivateFolder, PRIVATE_FILE, PRIVATE_FOLDER } from './make-folder.js';

/** Lies within the root, because a rename works only within one file system. No key can start with a dot. */
const TEMPORARY_FOLDER = '.unfinished';
const KEY = /^[a-z0-9_][a-z0-9._@-]*(?:\/[a-z0-9_][a-z0-9._@-]*)*$/;
const STALE_MS = 24 * 3_600_000;

export class StoreNotWritable extends Error {}

/**
 * Stores objects as files in a folder. A write creates a temporary file, flushes it and renames it. So readers get the
 * whole old object or the whole new one, even after a crash. Other users of the machine cannot read the folder or its
 * files.
 */
export class DiskMediaStore implements MediaStore {
  private constructor(private readonly root: string) {}

  /** Creates the folder if it is missing and removes temporary files of earlier crashes. */
  static async open(root: string): Promise<DiskMediaStore> {
    const store = new DiskMediaStore(root);
    await translateErrors(async () => {
      await makePrivateFolder(root);
      await makePrivateFolder(join(root, TEMPORARY_FOLDER));
    });
    await store.sweep();
    return store;
  }

  /** Creates and removes nothing. A missing folder is an empty store. */
  static openReadOnly(root: string): DiskMediaStore {
    return new DiskMediaStore(root);
  }

  put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
    return this.writeAtomically(key, async (temporaryPath) => {
      const file = await open(temporaryPath, 'wx', PRIVATE_FILE);
      try {
        let size = 0;
        for await (const chunk of bytes) {
          await file.writeFile(chunk);
          size += chunk.length;
        }
        await file.sync();
        return size;
      } finally {
        await file.close();
      }
    });
  }

  async read(key: string, range?: ByteRange): Promise<StoredBytes | undefined> {
    const file = await ifExists(() => open(this.pathOf(key), 'r'));
    if (file === undefined) return undefined;
    const { size, isFile } = await statFile(file);
    const first = range?.first ?? 0;
    const last = Math.min(range?.last ?? Infinity, size - 1);
    if (isFile && first <= last) return { size, bytes: file.createReadStream({ start: first, end: last }) };
    await file.close();
    return isFile ? { size, bytes: emptyStream() } : undefined;
  }

  async copy(from: string, to: string): Promise<boolean> {
    const source = this.pathOf(from);
    const isCopied = await ifExists(() =>
      this.writeAtomically(to, async (temporaryPath) => {
        await linkOrCopy(source, temporaryPath);
        return true;
      }),
    );
    return isCopied ?? false;
  }

  async remove(key: string): Promise<void> {
    const path = this.pathOf(key);
    const stats = await ifExists(() => stat(path));
    if (stats?.isFile()) await translateErrors(() => rm(path, { force: true }));
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    const folder = prefix.slice(0, Math.max(prefix.lastIndexOf('/'), 0));
    for await (const key of this.keysBelow(folder)) {
      if (!key.startsWith(prefix)) continue;
      const stats = await ifExists(() => stat(this.pathOf(key)));
      if (stats) yield { key, size: stats.size, writtenAt: stats.mtime };
    }
  }

  async ping(): Promise<void> {
    const probe = join(this.root, TEMPORARY_FOLDER, `ping-${randomUUID()}`);
    await translateErrors(async () => {
      await (await open(probe, 'wx', PRIVATE_FILE)).close();
      await rm(probe);
    });
  }

  private async writeAtomically<Result>(
    key: string,
    write: (temporaryPath: string) => Promise<Result>,
  ): Promise<Result> {
    const path = this.pathOf(key);
    const temporaryPath = join(this.root, TEMPORARY_FOLDER, randomUUID());
    try {
      return await translateErrors(async () => {
        const result = await write(temporaryPath);
        await makeFlushedFolder(dirname(path));
        await rename(temporaryPath, path);
        await flushPath(dirname(path));
        return result;
      });
    } finally {
      // Also needed after success, because a rename onto a hard link of the same file keeps both names.
      await rm(temporaryPath, { force: true }).catch(() => {});
    }
  }

  private async *keysBelow(folder: string): AsyncGenerator<string> {
    const entries = await ifExists(() => opendir(join(this.root, folder)));
    if (entries === undefined) return;
    for await (const entry of entries) {
      const key = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && entry.name !== TEMPORARY_FOLDER) yield* this.keysBelow(key);
      else if (entry.isFile()) yield key;
    }
  }

  private async sweep(): Promise<void> {
    const folder = join(this.root, TEMPORARY_FOLDER);
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      const stats = await ifExists(() => stat(path));
      if (stats && Date.now() - stats.mtimeMs > STALE_MS) await rm(path, { force: true });
    }
  }

  /** Throws for an invalid key, so that it never reaches the file system. */
  private pathOf(key: string): string {
    if (!KEY.test(key)) throw new Error('Not a key of the media library');
    return join(this.root, ...key.split('/'));
  }
}

async function statFile(file: FileHandle): Promise<{ readonly size: number; readonly isFile: boolean }> {
  const stats = await file.stat();
  return { size: stats.size, isFile: stats.isFile() };
}

/** Prefers a hard link, which is as good as a copy: objects are replaced, never changed. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPERM', 'EMLINK', 'ENOSYS', 'EOPNOTSUPP', 'EXDEV'].includes(code)) throw error;
    await copyFile(from, to);
    await flushPath(to);
  }
}

async function makeFlushedFolder(folder: string): Promise<void> {
  const firstCreated = await makeFolder(folder, PRIVATE_FOLDER);
  if (firstCreated === undefined) return;
  for (let createdFolder = folder; createdFolder.length >= firstCreated.length; createdFolder = dirname(createdFolder))
    await flushPath(dirname(createdFolder));
}

async function flushPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function ifExists<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

async function translateErrors<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new StoreNotWritable('The media folder is full', { cause: error });
    if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM')
      throw new StoreNotWritable('The media folder may not be written', { cause: error });
    throw error;
  }
}

async function* emptyStream(): AsyncGenerator<Uint8Array> {}
