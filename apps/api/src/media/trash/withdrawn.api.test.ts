import { createServer } from 'node:http';
import { MediaShop } from '../../testing/media-shop.js';
import { PUBLISHED_STORE } from '../../testing/published-store.js';
import { testApi, type TestApi } from '../../testing/test-api.js';
import { listen } from '../../testing/varnish.js';

describe.each([
  ['a store that the service serves', {}],
  ['a store that serves its files itself', PUBLISHED_STORE],
])('withdrawn content in %s', (_, storage) => {
  const purgedUrls: string[] = [];
  const cache = createServer(({ headers, url }, response) => {
    purgedUrls.push(`http://${headers.host}${url}`);
    response.end();
  });
  let api: TestApi;
  let shop: MediaShop;
  beforeAll(async () => {
    api = await testApi({ ...storage, CDN_PURGE_URL: `http://127.0.0.1:${await listen(cache)}` });
  });
  afterAll(async () => {
    await api.close();
    cache.close();
  });
  beforeEach(async () => {
    shop = new MediaShop(api, await api.app());
    purgedUrls.length = 0;
  });

  const statusOf = async (url: string) => (await shop.fetch(url)).status;
  const listVersions = async (id: number) => (await shop.client.get(`/cdn/files/${id}/versions`)).body.data;
  const isStored = async (key: string) => (await shop.storedKeys()).includes(key);
  const purgeVersion = (id: number, version: number) => shop.client.delete(`/cdn/files/${id}/versions/${version}`);

  /** Returns a file with a rendition and a kept version, and the URLs of all three. */
  async function addFile(folder = '') {
    const { id } = await shop.jpeg('a.jpg', { folder }, 400, 300);
    await api.runJobs();
    await shop.replace(id, Buffer.from(await shop.bytes((await shop.file(id)).url)), 'ttl');
    await api.runJobs();
    const file = await shop.file(id);
    const [version] = await listVersions(id);
    return { id, key: file.key, urls: [file.url, file.renditions[0].url, version.url] as string[] };
  }

  it('stays public in Trash by default', async () => {
    const file = await addFile();
    await shop.trash(file);
    await api.runJobs();
    expect([await Promise.all(file.urls.map(statusOf)), purgedUrls]).toEqual([[200, 200, 200], []]);
  });

  it('has URLs that no later file of the same name gets', async () => {
    const file = await addFile();
    await shop.trash(file);
    await shop.client.delete(`/cdn/files/${file.id}/purge`);
    await api.runJobs();
    const laterFile = await addFile();
    expect(laterFile.key).toBe(file.key.replace('a.jpg', 'a-2.jpg'));
    expect(await Promise.all([...file.urls, ...laterFile.urls].map(statusOf))).toEqual([404, 404, 404, 200, 200, 200]);
  });

  it.each([
    ['a file', ''],
    ['a folder', 'shoes'],
  ])('is no longer public after the deletion of %s when media.serve_trash is false', async (_kind, folder) => {
    await shop.client.patch('/app/settings', { media: { serve_trash: false } });
    const file = await addFile(folder);
    expect(await Promise.all(file.urls.map(statusOf))).toEqual([200, 200, 200]);
    if (folder === '') await shop.trash(file);
    else await shop.client.delete(`/cdn/folder?folder=${folder}`);
    expect(await Promise.all(file.urls.map(statusOf))).toEqual([404, 404, 404]);
    await api.runJobs();
    expect([await isStored(file.key), purgedUrls]).toEqual([false, expect.arrayContaining(file.urls)]);
    await shop.client.post(`/cdn/files/${file.id}/restore`);
    await api.runJobs();
    expect(await Promise.all(file.urls.map(statusOf))).toEqual([200, 200, 200]);
    expect(await isStored(file.key)).toBe(storage === PUBLISHED_STORE);
  });

  it('is removed from caches when its file in Trash is purged', async () => {
    const file = await addFile();
    await shop.trash(file);
    await shop.client.delete(`/cdn/files/${file.id}/purge`);
    await api.runJobs();
    expect(purgedUrls).toEqual(expect.arrayContaining(file.urls));
    expect(await Promise.all(file.urls.map(statusOf))).toEqual([404, 404, 404]);
  });

  it('is removed from caches and the store when one kept version is purged', async () => {
    const file = await addFile();
    const [, , versionUrl = ''] = file.urls;
    const storedBefore = (await shop.storedKeys()).length;
    const { status, body } = await purgeVersion(file.id, 1);
    expect([status, body]).toEqual([200, { data: { success: true, message: 'The version is removed' } }]);
    expect([await statusOf(versionUrl), await listVersions(file.id)]).toEqual([404, []]);
    await api.runJobs();
    expect((await shop.storedKeys()).length).toBeLessThan(storedBefore);
    expect(purgedUrls).toContain(versionUrl);
    expect((await purgeVersion(file.id, 1)).body).toEqual({ errors: { CdnFiles: ['API.CdnFiles.VersionNotFound'] } });
    expect((await purgeVersion(999_999_999, 1)).status).toBe(404);
  });

  it('cannot be found by guessing its name', async () => {
    const { urls } = await addFile();
    const versionUrl = urls[2] ?? '';
    expect(versionUrl).toMatch(/@v1-[\da-f]{32}\.jpg$/);
    expect(await statusOf(versionUrl.replace(/-[\da-f]{32}/, ''))).toBe(404);
  });
});
