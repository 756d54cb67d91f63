import type { mkdir } from 'node:fs/promises';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from './make-folder.js';

describe('makeFolder', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'folders-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('creates missing parents and returns the first created folder', async () => {
    expect(await makeFolder(join(root, 'a/b/c'))).toBe(join(root, 'a'));
    expect((await stat(join(root, 'a/b/c'))).isDirectory()).toBe(true);
    expect(await makeFolder(join(root, 'a/b/c'))).toBeUndefined();
  });

  it('throws the original error on a read-only file system', async () => {
    // Imitates Node, which throws ENOENT for a recursive `mkdir` on a read-only file system.
    const readOnly = (async (path: string, { recursive }: { recursive?: boolean }) => {
      throw Object.assign(new Error(`mkdir '${path}'`), { code: recursive ? 'ENOENT' : 'EROFS' });
    }) as typeof mkdir;
    await expect(makeFolder(join(root, 'a/b'), undefined, readOnly)).rejects.toMatchObject({
      code: 'EROFS',
      message: `mkdir '${join(root, 'a')}'`,
    });
  });
});
