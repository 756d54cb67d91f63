import { copyFile, mkdir, open, readdir, rename, rm, stat, access } from 'node:fs/promises';
import { join } from 'node:path';

/** @typedef {import('@back-office/media').MediaStore} MediaStore */

/**
 * Stores every object as a file in one folder, named by its key.
 * @implements {MediaStore}
 */
export class FlatFolderStore {
  #temporaryFiles = 0;

  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
  }

  async put(key, bytes) {
    let size = 0;
    await this.#writeAtomically(key, async (path) => {
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

  async read(key, range) {
    const file = await open(this.#pathOf(key)).catch(() => undefined);
    if (file === undefined) return undefined;
    // The open file stays the same even if another object gets its name.
    const { size } = await file.stat();
    const [start, end] = [range?.first ?? 0, Math.min(range?.last ?? Infinity, size - 1)];
    if (start <= end) return { size, bytes: file.createReadStream({ start, end }) };
    await file.close();
    return { size, bytes: emptyStream() };
  }

  async copy(from, to) {
    if (!(await exists(this.#pathOf(from)))) return false;
    await this.#writeAtomically(to, (path) => copyFile(this.#pathOf(from), path));
    return true;
  }

  async remove(key) {
    await rm(this.#pathOf(key), { force: true });
  }

  async *list(prefix) {
    for (const name of await readdir(this.folder)) {
      const key = decodeURIComponent(name);
      if (name.startsWith('.') || !key.startsWith(prefix)) continue;
      const stats = await stat(join(this.folder, name)).catch(() => undefined);
      if (stats) yield { key, size: stats.size, writtenAt: stats.mtime };
    }
  }

  async ping() {
    await readdir(this.folder);
  }

  /** Writes a temporary file and renames it, so readers see the old or the whole new object. */
  async #writeAtomically(key, write) {
    this.#temporaryFiles += 1;
    const path = join(this.folder, `.${process.pid}-${this.#temporaryFiles}`);
    try {
      await write(path);
      await rename(path, this.#pathOf(key));
    } finally {
      await rm(path, { force: true });
    }
  }

  #pathOf(key) {
    return join(this.folder, encodeURIComponent(key));
  }
}

function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function* emptyStream() {}

/** Entry point for `STORAGE`; the adapter reads its own configuration. */
export async function openMediaStore(environment) {
  const folder = environment['FLAT_FOLDER'];
  if (!folder) throw new Error('FLAT_FOLDER is missing');
  await mkdir(folder, { recursive: true });
  return { store: new FlatFolderStore(folder) };
}
