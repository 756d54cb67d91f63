import { mediaStoreContract } from '@back-office/media/testing';
import { sharpSampleImages } from '@back-office/images-sharp/testing';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FlatFolderStore } from '../testing/flat-folder-store.js';
import { testApi } from '../testing/test-api.js';

const moduleOf = (name: string): string => fileURLToPath(new URL(`../testing/${name}.ts`, import.meta.url));
const MODULE = moduleOf('flat-folder-store');
/** Only Linux shows what a process has open. */
const onLinux = process.platform === 'linux' ? it : it.skip;

async function openUploads(dataDir: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const paths = await Promise.all(descriptors.map((each) => readlink(`/proc/self/fd/${each}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(join(dataDir, 'uploads')));
}

describe('a storage adapter of somebody else’s', () => {
  mediaStoreContract(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flat-'));
    return { store: new FlatFolderStore(folder), close: () => rm(folder, { recursive: true, force: true }) };
  });
});

describe('a service with STORAGE=<module>', () => {
  it('keeps its files there, and serves them from there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flat-'));
    const api = await testApi({ STORAGE: MODULE, FLAT_FOLDER: folder });
    const shop = await api.app();
    const bytes = await sharpSampleImages.still('image/jpeg', 400, 300);
    const { body } = await shop.upload('/cdn/files', { name: 'a.jpg', bytes });
    await api.work();
    const { data } = (await shop.get(`/cdn/files/${body.data.id}`)).body;
    expect(data.processing).toBe('done');
    const served = await fetch(`${api.origin}/media/${data.key}`);
    expect([served.status, (await served.arrayBuffer()).byteLength]).toEqual([200, data.size]);
    const names = (await readdir(folder)).map(decodeURIComponent);
    expect([names.length, names.every((name) => name.startsWith('_blobs/'))]).toEqual([3, true]);
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  onLinux('holds no upload open that its store has refused', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flat-'));
    const api = await testApi({ STORAGE: moduleOf('refusing-store'), FLAT_FOLDER: folder });
    const shop = await api.app();
    const png = await sharpSampleImages.still('image/png', 40, 30);
    for (const [name, bytes] of [
      ['a.txt', Buffer.from('words')],
      ['b.png', png],
    ] as const) {
      expect((await shop.upload('/cdn/files', { name, bytes })).status).toBe(503);
    }
    expect(await openUploads(api.dataDir)).toEqual([]);
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['that is not there', '@nobody/store', /STORAGE: @nobody\/store cannot be loaded/],
    ['that is no adapter', 'node:path', /STORAGE: node:path exports no openMediaStore/],
  ])('%s does not start, and says why', async (_, module, message) => {
    await expect(testApi({ STORAGE: module })).rejects.toThrow(message);
  });
});
