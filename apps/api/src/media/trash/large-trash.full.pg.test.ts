import { testApi, type TestApi } from '../../testing/test-api.js';
import { PUBLISHED_STORE } from '../../testing/published-store.js';
import { MediaShop } from '../../testing/media-shop.js';

let api: TestApi;
let shop: MediaShop;

beforeAll(async () => {
  api = await testApi(PUBLISHED_STORE);
  shop = new MediaShop(api, await api.app());
});
afterAll(() => api.close());

describe('10,000 files with one name', () => {
  it('are restored and moved within seconds', async () => {
    await api.database.rows(
      `insert into cdn_files (app_id, state, content, key, folder, filename, kind, mime, size, checksum, processing,
         search_text, tags, last_modified, inserted_at, deleted_at, purge_at, deleted_by)
       select $1, 'trashed', '_blobs/x/' || n, 'x/' || n, 'x', 'a.txt', 'doc', 'text/plain', 1, '\\x00', 'done',
         'a.txt', '{}', now(), now(), now(), now() + interval '1 day', 'app' from generate_series(1, 10000) as n`,
      [shop.client.appId],
    );
    await shop.text('a.txt (7)', { folder: 'x' });
    const rows = await api.database.rows<{ id: number }>(
      `select id from cdn_files where app_id = $1 and state = 'trashed' order by id`,
      [shop.client.appId],
    );
    const ids = rows.map(({ id }) => id);
    const startedAt = Date.now();
    expect(
      (await shop.client.post('/cdn/files/restore', { ids })).body.data.every(
        ({ success }: { success: boolean }) => success,
      ),
    ).toBe(true);
    expect((await shop.file(ids.at(-1) ?? 0)).filename).toBe('a.txt (10001)');
    const { body } = await shop.client.patch('/cdn/files/move', { ids, folder: 'y' });
    expect(body.data.every(({ success }: { success: boolean }) => success)).toBe(true);
    expect(Date.now() - startedAt).toBeLessThan(15_000);
    await api.runJobs();
    expect(api.jobFailures).toEqual([]);
  }, 60_000);
});
