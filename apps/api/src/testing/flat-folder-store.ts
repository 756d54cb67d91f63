import type { ByteRange, MediaStore, StoredBytes, StoredObject } from '@back-office/media';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A storage adapter of somebody else's: every object a file of one folder, named by its key. See docs/writing-an-adapter.md. */
export class FlatFolderStore implements MediaStore {
  private unfinished = 0;

  constructor(private readonly folder: string) {}

  async put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
    let size = 0;
    await this.placed(key, async (path) => {
      const file = await open(path, 'wx');
      try {
        for await (const chunk of bytes) {
          await file.writeFile(chunk);
          size += chunk.length;
        }
        await file.sync();
      } finally {
        await file.close();
      }
    });
    return size;
  }

  async read(key: string, range?: ByteRange): Promise<StoredBytes | undefined> {
    const seen = await stat(this.pathOf(key)).catch(() => undefined);
    if (seen === undefined) return undefined;
    const [start, end] = [range?.first ?? 0, Math.min(range?.last ?? Infinity, seen.size - 1)];
    return { size: seen.size, bytes: start > end ? nothing() : createReadStream(this.pathOf(key), { start, end }) };
  }

  async copy(from: string, to: string): Promise<boolean> {
    if ((await stat(this.pathOf(from)).catch(() => undefined)) === undefined) return false;
    await this.placed(to, (path) => copyFile(this.pathOf(from), path));
    return true;
  }

  async remove(key: string): Promise<void> {
    await rm(this.pathOf(key), { force: true });
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    for (const name of await readdir(this.folder)) {
      const key = decodeURIComponent(name);
      if (name.startsWith('.') || !key.startsWith(prefix)) continue;
      const seen = await stat(join(this.folder, name)).catch(() => undefined);
      if (seen) yield { key, size: seen.size, writtenAt: seen.mtime };
    }
  }

  async ping(): Promise<void> {
    await readdir(this.folder);
  }

  /** Readers see what was there before, or all of the new: it is written beside its place and renamed into it. */
  private async placed(key: string, write: (path: string) => Promise<void>): Promise<void> {
    this.unfinished += 1;
    const path = join(this.folder, `.${process.pid}-${this.unfinished}`);
    try {
      await write(path);
      await rename(path, this.pathOf(key));
    } finally {
      await rm(path, { force: true });
    }
  }

  private pathOf(key: string): string {
    return join(this.folder, encodeURIComponent(key));
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** What `STORAGE` looks for: the adapter reads its own configuration. */
export async function openMediaStore(environment: Readonly<Record<string, string | undefined>>) {
  const folder = environment['FLAT_FOLDER'] ?? '';
  await mkdir(folder, { recursive: true });
  return { store: new FlatFolderStore(folder) };
}
