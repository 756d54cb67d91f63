import type { ByteRange, MediaStore, StoredBytes, StoredObject } from '@back-office/media';
import { randomUUID } from 'node:crypto';
import { copyFile, link, open, opendir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from './make-folder.js';

/** Beside the objects, so that a rename stays within one file system. No key begins with a dot. */
const UNFINISHED = '.unfinished';
const KEY = /^[a-z0-9_][a-z0-9._@-]*(?:\/[a-z0-9_][a-z0-9._@-]*)*$/;
/** What a write that was cut off by a crash is given before it is swept away. */
const STALE_MS = 24 * 3_600_000;

/** The store cannot take more: its file system is full, or may not be written. */
export class StoreNotWritable extends Error {}

/**
 * Objects as files below a folder. An object is written beside its place, flushed to the disk and renamed into it, so
 * that a reader, also after a crash, sees all of it or what was there before.
 */
export class DiskMediaStore implements MediaStore {
  private constructor(private readonly root: string) {}

  /** Makes the folder where it is missing, and sweeps away what earlier crashes have left unfinished. */
  static async open(root: string): Promise<DiskMediaStore> {
    const store = new DiskMediaStore(root);
    await clearly(() => makeFolder(join(root, UNFINISHED)));
    await store.sweep();
    return store;
  }

  /** As it is, for whoever only looks: makes and removes nothing, and a folder that is missing is an empty store. */
  static toRead(root: string): DiskMediaStore {
    return new DiskMediaStore(root);
  }

  put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
    return this.placed(key, async (unfinished) => {
      const file = await open(unfinished, 'wx');
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
    const file = await found(() => open(this.pathOf(key), 'r'));
    if (file === undefined) return undefined;
    const { size, isFile } = await facts(file);
    const first = range?.first ?? 0;
    const last = Math.min(range?.last ?? size - 1, size - 1);
    if (isFile && first <= last) return { size, bytes: file.createReadStream({ start: first, end: last }) };
    await file.close();
    return isFile ? { size, bytes: nothing() } : undefined;
  }

  async copy(from: string, to: string): Promise<boolean> {
    const source = this.pathOf(from);
    const copied = await found(() =>
      this.placed(to, async (unfinished) => {
        await linked(source, unfinished);
        return true;
      }),
    );
    return copied ?? false;
  }

  async remove(key: string): Promise<void> {
    const path = this.pathOf(key);
    const { isFile } = (await found(() => stat(path).then((each) => ({ isFile: each.isFile() })))) ?? { isFile: false };
    if (isFile) await clearly(() => rm(path, { force: true }));
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    const folder = prefix.slice(0, Math.max(prefix.lastIndexOf('/'), 0));
    for await (const key of this.keysBelow(folder)) {
      if (!key.startsWith(prefix)) continue;
      const seen = await found(() => stat(this.pathOf(key)));
      if (seen) yield { key, size: seen.size, writtenAt: seen.mtime };
    }
  }

  async ping(): Promise<void> {
    const probe = join(this.root, UNFINISHED, `ping-${randomUUID()}`);
    await clearly(async () => {
      await (await open(probe, 'wx')).close();
      await rm(probe);
    });
  }

  /** Writes beside the object's place and puts it there when it is all written; otherwise leaves nothing. */
  private async placed<Result>(key: string, write: (unfinished: string) => Promise<Result>): Promise<Result> {
    const path = this.pathOf(key);
    const unfinished = join(this.root, UNFINISHED, randomUUID());
    try {
      return await clearly(async () => {
        const result = await write(unfinished);
        await made(dirname(path));
        await rename(unfinished, path);
        await flush(dirname(path));
        return result;
      });
    } finally {
      // Also after success: a rename onto another name of the same bytes leaves both.
      await rm(unfinished, { force: true }).catch(() => {});
    }
  }

  private async *keysBelow(folder: string): AsyncGenerator<string> {
    const entries = await found(() => opendir(join(this.root, folder)));
    if (entries === undefined) return;
    for await (const entry of entries) {
      const key = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && entry.name !== UNFINISHED) yield* this.keysBelow(key);
      else if (entry.isFile()) yield key;
    }
  }

  private async sweep(): Promise<void> {
    const folder = join(this.root, UNFINISHED);
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      const seen = await found(() => stat(path));
      if (seen && Date.now() - seen.mtimeMs > STALE_MS) await rm(path, { force: true });
    }
  }

  /** Keys are made by the domain; one that is not of its making must not reach the file system. */
  private pathOf(key: string): string {
    if (!KEY.test(key) || key.includes('..')) throw new Error('Not a key of the media library');
    return join(this.root, ...key.split('/'));
  }
}

async function facts(file: FileHandle): Promise<{ readonly size: number; readonly isFile: boolean }> {
  const seen = await file.stat();
  return { size: seen.size, isFile: seen.isFile() };
}

/** An object is never changed, only replaced as a whole: two names may share its bytes. */
async function linked(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPERM', 'EMLINK', 'ENOSYS', 'EOPNOTSUPP', 'EXDEV'].includes(code)) throw error;
    await copyFile(from, to);
    await flush(to);
  }
}

/** Makes the folders that are missing, so that they are there after a crash, too. */
async function made(folder: string): Promise<void> {
  const first = await makeFolder(folder);
  if (first === undefined) return;
  for (let each = folder; each.length >= first.length; each = dirname(each)) await flush(dirname(each));
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function found<Result>(look: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await look();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

async function clearly<Result>(write: () => Promise<Result>): Promise<Result> {
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

async function* nothing(): AsyncGenerator<Uint8Array> {}
