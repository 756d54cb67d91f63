import { mp4Video, pdfSample } from '@back-office/media/testing';
import { sharpSampleImages } from '@back-office/images-sharp/testing';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adapterCalls } from '../testing/own-adapters.js';
import { methodId, propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

const modulePathOf = (name: string): string => fileURLToPath(new URL(`../testing/${name}.ts`, import.meta.url));
const EXAMPLE_MODULE_PATH = fileURLToPath(new URL('../../../../examples/storage-adapter', import.meta.url));
/** Only Linux lists the open files of a process. */
const itOnLinux = process.platform === 'linux' ? it : it.skip;

async function listOpenUploads(dataDir: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const paths = await Promise.all(
    descriptors.map((descriptor) => readlink(`/proc/self/fd/${descriptor}`).catch(() => '')),
  );
  return paths.filter((path) => path.startsWith(join(dataDir, 'uploads')));
}

describe('a service with STORAGE=<module>', () => {
  it('stores and serves files with the module', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flat-'));
    const api = await testApi({ STORAGE: EXAMPLE_MODULE_PATH, FLAT_FOLDER: folder });
    const shop = await api.app();
    const bytes = await sharpSampleImages.still('image/jpeg', 400, 300);
    const { body } = await shop.upload('/cdn/files', { name: 'a.jpg', bytes });
    await api.runJobs();
    const { data } = (await shop.get(`/cdn/files/${body.data.id}`)).body;
    expect(data.processing).toBe('done');
    const response = await fetch(`${api.origin}/media/${data.key}`);
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, data.size]);
    const names = (await readdir(folder)).map(decodeURIComponent);
    expect([names.length, names.every((name) => name.startsWith('_blobs/'))]).toEqual([3, true]);
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  itOnLinux('closes an upload that its store refused', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flat-'));
    const api = await testApi({ STORAGE: modulePathOf('refusing-store'), FLAT_FOLDER: folder });
    const shop = await api.app();
    const png = await sharpSampleImages.still('image/png', 40, 30);
    for (const [name, bytes] of [
      ['a.txt', Buffer.from('words')],
      ['b.png', png],
    ] as const) {
      expect((await shop.upload('/cdn/files', { name, bytes })).status).toBe(503);
    }
    expect(await listOpenUploads(api.dataDir)).toEqual([]);
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['that is missing', '@nobody/store', /STORAGE: @nobody\/store cannot be loaded/],
    ['without an adapter', 'node:path', /STORAGE: node:path exports no openMediaStore/],
  ])('%s fails at start with the reason', async (_, module, message) => {
    await expect(testApi({ STORAGE: module })).rejects.toThrow(message);
  });
});

describe('a service with modules for five adapters', () => {
  let api: TestApi;
  let shop: Client;
  const module = modulePathOf('own-adapters');

  beforeAll(async () => {
    const variables = ['IMAGES', 'PAGES', 'FACTS', 'PURGER', 'REFUNDS'];
    api = await testApi(Object.fromEntries(variables.map((variable) => [variable, module])));
    shop = await api.app();
  });

  const uploadAndProcess = async (name: string, bytes: Uint8Array) => {
    const { body } = await shop.upload('/cdn/files', { name, bytes });
    await api.runJobs();
    return (await shop.get(`/cdn/files/${body.data.id}`)).body.data;
  };
  const fetchText = async (url: string): Promise<string> => (await fetch(api.origin + new URL(url).pathname)).text();

  it('converts images with the module', async () => {
    const file = await uploadAndProcess('a.png', await sharpSampleImages.still('image/png', 800, 400));
    expect([file.processing, await fetchText(file.url)]).toEqual(['done', '800x400']);
    expect(await Promise.all(file.renditions.map(({ url }: { url: string }) => fetchText(url)))).toEqual([
      '320x160',
      '640x320',
    ]);
  });

  it('recognizes a broken image by the name of the error', async () => {
    await uploadAndProcess('b.png', await sharpSampleImages.still('image/png', 13, 10));
    expect(api.jobFailures.map((failure) => (failure as Error).message)).toEqual(['The image cannot be decoded']);
  });

  it('renders documents and reads the sizes of videos with the modules', async () => {
    await uploadAndProcess('c.pdf', pdfSample({ pages: [] }));
    const { body } = await shop.get('/cdn/files/pdf-renders?name=c');
    expect(body.data[0].pages).toMatchObject([{ page: 1, width: 30, height: 20 }]);
    expect(await uploadAndProcess('d.mp4', mp4Video({ width: 64, height: 36 }))).toMatchObject({
      width: 1_234,
      height: 567,
    });
  });

  it('purges caches with the module', async () => {
    const file = await uploadAndProcess('e.txt', Buffer.from('words'));
    const reply = await shop.upload(
      `/cdn/files/${file.id}/replace`,
      { name: 'e.txt', bytes: Buffer.from('other words') },
      { cache_strategy: 'purge' },
    );
    expect(reply.body.cache).toMatchObject({ purged: true });
    expect(adapterCalls.purged).toContain(file.url);
  });

  it('pays refunds with the module', async () => {
    await stockShop(shop, [{ code: 'A', price: 100 }]);
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    const payment = { payment_method_id: await methodId(shop, 'cash'), amount: 0 };
    await shop.post(`/proforma_orders/${id}/pay`, { payment });
    expect((await shop.delete(`/proforma_orders/${id}`, { reason: 'Changed their mind' })).status).toBe(204);
    expect(adapterCalls.refunds).toMatchObject([{ proformaId: id, amount: 10_000, currency: 'RSD' }]);
  });

  it('closes all modules before the service stops', async () => {
    await api.close();
    expect(adapterCalls.closed.sort()).toEqual(['facts', 'images', 'pages', 'purger', 'refunds']);
  });
});
