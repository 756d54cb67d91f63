import { chmod, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskMediaStore, StoreNotWritable } from './disk-media-store.js';

const makeTempFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'media-'));
const removeFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe('an invalid key', () => {
  it.each([
    '../x',
    'a/../b',
    '/etc/passwd',
    'a//b',
    '',
    '.unfinished/x',
    'a/.hidden',
    'A',
    'a\\b',
    'a\u0000b',
    'a b',
    'a/..',
  ])('is refused before any file is accessed: %j', async (key) => {
    const root = await makeTempFolder();
    const store = await DiskMediaStore.open(join(root, 'media'));
    await writeFile(join(root, 'x'), 'secret');
    await expect(async () => store.put(key, bytes('x'))).rejects.toThrow('Not a key');
    await expect(async () => store.read(key)).rejects.toThrow('Not a key');
    await expect(async () => store.remove(key)).rejects.toThrow('Not a key');
    await expect(async () => store.copy(key, 'b')).rejects.toThrow('Not a key');
    await removeFolder(root);
  });
});

describe('a store on a full disk', () => {
  it('throws a clear error and leaves no files', async () => {
    const root = await makeTempFolder();
    const store = await DiskMediaStore.open(root);
    const failingSource = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('x');
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    const put = store.put('a', failingSource());
    await expect(put).rejects.toThrow(StoreNotWritable);
    await expect(put).rejects.toThrow('The media folder is full');
    expect(await readdir(join(root, '.unfinished'))).toEqual([]);
    expect(await store.read('a')).toBeUndefined();
    await removeFolder(root);
  });
});

describe('a store in a folder that is not writable', () => {
  const UNPRIVILEGED_UID = 65_534;

  async function runUnprivileged(work: () => Promise<void>): Promise<void> {
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(UNPRIVILEGED_UID);
    try {
      await work();
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  }

  it('throws a clear error on put, ping and open', async () => {
    const root = await makeTempFolder();
    const store = await DiskMediaStore.open(root);
    await chmod(root, 0o555);
    await chmod(join(root, '.unfinished'), 0o555);
    await runUnprivileged(async () => {
      await expect(store.put('a', bytes('x'))).rejects.toThrow('may not be written');
      await expect(store.ping()).rejects.toThrow('may not be written');
      await expect(DiskMediaStore.open(join(root, 'inner'))).rejects.toThrow('may not be written');
    });
    await chmod(root, 0o755);
    await chmod(join(root, '.unfinished'), 0o755);
    await removeFolder(root);
  });
});

describe('a temporary file that a crash left behind', () => {
  it('is removed at the next start when older than a day', async () => {
    const root = await makeTempFolder();
    await DiskMediaStore.open(root);
    const [oldFile, recentFile] = ['old', 'recent'].map((name) => join(root, '.unfinished', name));
    await writeFile(oldFile as string, 'x');
    await writeFile(recentFile as string, 'x');
    const aDayAgo = new Date(Date.now() - 25 * 3_600_000);
    await utimes(oldFile as string, aDayAgo, aDayAgo);
    const store = await DiskMediaStore.open(root);
    expect(await readdir(join(root, '.unfinished'))).toEqual(['recent']);
    const objects: unknown[] = [];
    for await (const object of store.list('')) objects.push(object);
    expect(objects).toEqual([]);
    await removeFolder(root);
  });
});
