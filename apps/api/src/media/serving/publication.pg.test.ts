import { sharpSampleImages } from '@back-office/images-sharp/testing';
import { pdfSample } from '@back-office/media/testing';
import { setTimeout as pause } from 'node:timers/promises';
import { sizeInStore } from '../../testing/size-in-store.js';
import { MediaShop } from '../../testing/media-shop.js';
import { PUBLISHED_STORE } from '../../testing/published-store.js';
import { testApi, type TestApi } from '../../testing/test-api.js';
import { TOKENS } from '../../tokens.js';

const SLOW_COPY_MS = 60;

let api: TestApi;
let shop: MediaShop;
let restore = (): void => {};

beforeAll(async () => {
  api = await testApi(PUBLISHED_STORE);
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = new MediaShop(api, await api.app());
});
afterEach(() => {
  restore();
  restore = () => {};
  api.jobFailures.length = 0;
});

const store = () => api.container.get(TOKENS.Library).library.store;
const makeJpeg = (width: number, height = 300) => sharpSampleImages.still('image/jpeg', width, height);
const regenerate = (id: number, renditions: number[]) =>
  shop.client.post(`/cdn/files/${id}/renditions/regenerate`, { renditions });

const publishedSize = (url: string): Promise<number | undefined> =>
  sizeInStore(store(), decodeURIComponent(new URL(url).pathname).replace('/media/', ''));

function interceptCopies(intercept: (to: string, copy: () => Promise<boolean>) => Promise<boolean>): void {
  const original = store().copy.bind(store());
  store().copy = (from, to) => intercept(to, () => original(from, to));
  restore = () => (store().copy = original);
}

async function findBrokenUrls(work: Promise<unknown>): Promise<string[]> {
  const brokenUrls: string[] = [];
  let isDone = false;
  void work.finally(() => (isDone = true));
  while (!isDone) {
    const { files } = (await shop.client.get('/cdn/files')).body.data;
    const renders = (await shop.client.get('/cdn/files/pdf-renders')).body.data;
    const urls = [
      ...files.filter(({ processing }: { processing: string }) => processing === 'done'),
      ...files.flatMap(({ renditions }: { renditions: object[] }) => renditions),
      ...renders.flatMap(({ pages }: { pages: object[] }) => pages),
    ].map(({ url }: { url: string }) => url);
    for (const url of urls) if ((await publishedSize(url)) === undefined) brokenUrls.push(url);
    await pause(5);
  }
  await work;
  return brokenUrls;
}

describe('a store that serves files itself', () => {
  beforeEach(() =>
    interceptCopies(async (_, copy) => {
      await pause(SLOW_COPY_MS);
      return copy();
    }),
  );

  it('lists no file, rendition or page before it can be fetched', async () => {
    const uploads = shop.jpeg('a.jpg', {}, 1_400, 900).then(async () => {
      await shop.upload('b.pdf', pdfSample({ pages: [{ width: 100, height: 200, colour: [1, 0, 0] }] }));
      await shop.text('c.txt');
      await api.runJobs();
    });
    expect(await findBrokenUrls(uploads)).toEqual([]);
    const { files } = (await shop.client.get('/cdn/files')).body.data;
    expect(
      files.map((file: { processing: string; renditions: object[] }) => [file.processing, file.renditions.length]),
    ).toEqual([
      ['done', 3],
      ['done', 0],
      ['done', 0],
    ]);
    expect((await shop.client.get('/cdn/files/pdf-renders')).body.data[0].pages.length).toBeGreaterThan(0);
  });

  it.each([
    ['is replaced', async (id: number) => shop.replace(id, await makeJpeg(1_400, 900))],
    ['is reverted', async (id: number) => shop.revert(id, { version: 1 })],
    ['gets other renditions', async (id: number) => regenerate(id, [100, 200, 320])],
  ])('lists only working URLs when a file %s', async (_, change) => {
    const { id } = await shop.jpeg('a.jpg', {}, 1_400, 900);
    await shop.replace(id, await makeJpeg(400));
    await api.runJobs();
    const work = change(id).then(() => api.runJobs());
    expect(await findBrokenUrls(work)).toEqual([]);
    expect((await shop.file(id)).processing).toBe('done');
  });

  it('marks a file of a type that needs no processing as done', async () => {
    expect((await shop.text('a.txt')).processing).toBe('done');
    const { body } = await shop.replace((await shop.text('b.txt')).id, 'other');
    expect(body.data.processing).toBe('done');
  });

  it('gets the public copy later when copying fails during the call', async () => {
    restore();
    interceptCopies(() => Promise.reject(new Error('The store is gone')));
    const { id, processing } = await shop.text('a.txt');
    expect(processing).toBe('pending');
    restore();
    await api.runJobs();
    const file = await shop.file(id);
    expect([file.processing, await publishedSize(file.url)]).toEqual(['done', file.size]);
    expect(api.jobFailures).toEqual([]);
  });
});

describe('processing that crashes while it publishes', () => {
  const listReferencedKeys = async (): Promise<string[]> => {
    const rows = await api.database.rows<{ key: string }>(
      `select key from cdn_files where app_id = $1 union select key from cdn_renditions where app_id = $1
       union select content from cdn_files where app_id = $1
       union select original from cdn_files where app_id = $1
       union select content from cdn_renditions where app_id = $1`,
      [shop.client.appId],
    );
    return rows.map(({ key }) => key).sort();
  };

  it.each([
    ['crash on the first copy', 1],
    ['crash on the last copy', 4],
  ])('lists no results until a retry completes the processing: %s', async (_, failingCopy) => {
    const { id } = await shop.jpeg('a.jpg', {}, 1_400, 900);
    let copyCount = -1;
    interceptCopies((_to, copy) => {
      copyCount += 1;
      return copyCount === failingCopy ? Promise.reject(new Error('The process has ended')) : copy();
    });
    await api.runJobs();
    expect(await shop.file(id)).toMatchObject({ processing: 'pending', renditions: [] });
    restore();
    await shop.reschedule(id, 'content', '0');
    await api.runJobs();
    const file = await shop.file(id);
    expect([file.processing, file.renditions.length]).toEqual(['done', 3]);
    for (const { url, size } of [file, ...file.renditions])
      expect([url, await publishedSize(url)]).toEqual([url, size]);
    expect(await shop.storedKeys()).toEqual(await listReferencedKeys());
  });

  it('keeps the public copies of a newer version', async () => {
    const { id } = await shop.jpeg('a.jpg', {}, 1_400, 900);
    const newContent = await makeJpeg(700);
    let isReplaced = false;
    interceptCopies(async (to, copy) => {
      if (!isReplaced && to.includes('@320')) {
        isReplaced = true;
        await shop.replace(id, newContent);
        await api.runJobs();
      }
      return copy();
    });
    await api.runJobs();
    restore();
    await api.runJobs();
    const file = await shop.file(id);
    expect([isReplaced, file.version, file.processing, file.renditions.length]).toEqual([true, 2, 'done', 2]);
    for (const { url, size } of [file, ...file.renditions])
      expect([url, await publishedSize(url)]).toEqual([url, size]);
    const versions = (await shop.client.get(`/cdn/files/${id}/versions`)).body.data;
    expect(versions.map(({ version }: { version: number }) => version)).toEqual([1]);
    expect((await shop.storedKeys()).filter((key) => key.includes('@'))).toEqual(
      [versions[0].url, ...file.renditions.map(({ key }: { key: string }) => key)]
        .map((url: string) => url.slice(url.indexOf(file.key.split('/')[0])))
        .sort(),
    );
  });
});
