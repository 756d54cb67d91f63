import { TOKENS } from '../../tokens.js';
import { testApi, type Reply, type TestApi } from '../../testing/test-api.js';
import { PUBLISHED_STORE } from '../../testing/published-store.js';
import { MediaShop } from '../../testing/media-shop.js';

let api: TestApi;
let shop: MediaShop;

beforeAll(async () => {
  api = await testApi(PUBLISHED_STORE);
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = new MediaShop(api, await api.app());
});

const FILE_NOT_FOUND = { errors: { CdnFiles: ['API.CdnFiles.FileNotFound'] } };
const NOT_FOUND_RESULT = { success: false, message: 'API.CdnFiles.FileNotFound' };
const SUCCESS_RESULT = { success: true, message: expect.any(String) };
const restoreFiles = (...ids: number[]) => shop.client.post('/cdn/files/restore', { ids });
const purgeFile = (id: number) => shop.client.delete(`/cdn/files/${id}/purge`);
const statusAndBody = ({ status, body }: Reply) => [status, body];
const uploadTexts = (...names: string[]) => Promise.all(names.map((name) => shop.text(name)));
const findTrashEntry = async (id: number) => {
  const { body } = await shop.client.get('/cdn/trash?page_size=1000');
  return body.data.files.find((file: { id: number }) => file.id === id);
};
const changeMediaSettings = (media: object) => shop.client.patch('/app/settings', { media });
const trashFolder = (folder: string) => shop.client.delete(`/cdn/folder?folder=${folder}`);

describe('DELETE /cdn?file=', () => {
  it('moves the file to Trash and keeps its URL working', async () => {
    const file = await shop.text('a.txt');
    expect(statusAndBody(await shop.trash(file))).toEqual([200, { data: SUCCESS_RESULT }]);
    expect([await shop.names(), await shop.trashedNames()]).toEqual([[], ['a.txt']]);
    expect((await shop.fetch(file.url)).status).toBe(200);
    await api.runJobs();
    expect((await shop.bytes(file.url)).toString()).toBe('words of a.txt');
    expect((await shop.file(file.id)).key).toBe(file.key);
  });

  it('reads the key from the body when the query has no key', async () => {
    const { key } = await shop.text('a.txt');
    expect((await shop.client.delete('/cdn', { file: key })).status).toBe(200);
    expect(await shop.trashedNames()).toEqual(['a.txt']);
  });

  it('returns API.CdnFiles.FileNotFound unless the key identifies a file of the app', async () => {
    const { key, id } = await shop.jpeg('a.jpg', {}, 400, 300);
    await api.runJobs();
    const [rendition] = (await shop.file(id)).renditions;
    for (const file of ['none', rendition.key, String(id), `/${key}`, key.toUpperCase(), '%25']) {
      expect(statusAndBody(await shop.trash({ key: file }))).toEqual([404, FILE_NOT_FOUND]);
    }
    const otherShop = new MediaShop(api, await api.app());
    expect(statusAndBody(await otherShop.trash({ key }))).toEqual([404, FILE_NOT_FOUND]);
    expect(await shop.names()).toEqual(['a.jpg']);
  });

  it.each(['/cdn', '/cdn?file=', '/cdn?file[]=a', '/cdn?file[a]=b'])(
    'refuses a call without a key: %s',
    async (path) => {
      expect(statusAndBody(await shop.client.delete(path))).toEqual([400, { errors: { detail: 'Bad Request' } }]);
    },
  );

  it('computes the purge time from the retention of the app', async () => {
    await changeMediaSettings({ trash_retention_days: 2 });
    const file = await shop.text('a.txt');
    await shop.trash(file);
    const { deleted_at, purge_at } = await findTrashEntry(file.id);
    expect(Date.parse(purge_at) - Date.parse(deleted_at)).toBe(2 * 86_400_000);
    await changeMediaSettings({ trash_retention_days: 9 });
    expect((await findTrashEntry(file.id)).purge_at).toBe(purge_at);
  });
});

describe('a used file', () => {
  it('is not deleted when refuse_delete_in_use is set', async () => {
    await changeMediaSettings({ refuse_delete_in_use: true });
    const [usedFile, unusedFile] = await uploadTexts('used.txt', 'free.txt');
    await shop.recordUsage(usedFile);
    expect(statusAndBody(await shop.trash(usedFile))).toEqual([
      400,
      { errors: { CdnFiles: ['API.CdnFiles.FileReferenced'] } },
    ]);
    const { body } = await shop.client.delete(
      `/cdn/list?files[0][key]=${usedFile.key}&files[1][key]=${unusedFile.key}`,
    );
    expect(body.data).toEqual([
      { key: usedFile.key, success: false, message: 'API.CdnFiles.FileReferenced' },
      { key: unusedFile.key, ...SUCCESS_RESULT },
    ]);
    expect([await shop.names(), (await shop.file(usedFile.id)).usage_count]).toEqual([['used.txt'], 1]);
  });

  it('is deleted by default', async () => {
    const file = await shop.text('used.txt');
    await shop.recordUsage(file);
    expect((await shop.trash(file)).status).toBe(200);
  });

  it('can be deleted again when it is in Trash', async () => {
    const file = await shop.text('used.txt');
    await shop.recordUsage(file);
    await shop.trash(file);
    await changeMediaSettings({ refuse_delete_in_use: true });
    expect((await shop.trash(file)).status).toBe(200);
  });
});

describe('DELETE /cdn/list', () => {
  it.each([
    ['files[0][key]', (keys: string[]) => keys.map((key, index) => `files[${index}][key]=${key}`)],
    ['files[][key]', (keys: string[]) => keys.map((key) => `files[][key]=${key}`)],
    [
      'encoded',
      (keys: string[]) => keys.map((key, index) => `files%5B${index}%5D%5Bkey%5D=${encodeURIComponent(key)}`),
    ],
  ])('accepts keys as %s and returns their results in order', async (_, formatQuery) => {
    const [firstFile, secondFile] = await uploadTexts('one.txt', 'two.txt');
    const keys = [secondFile.key, 'none', firstFile.key, secondFile.key];
    const { status, body } = await shop.client.delete(`/cdn/list?${formatQuery(keys).join('&')}`);
    expect([status, body.data]).toEqual([
      200,
      [
        { key: secondFile.key, ...SUCCESS_RESULT },
        { key: 'none', ...NOT_FOUND_RESULT },
        { key: firstFile.key, ...SUCCESS_RESULT },
        { key: secondFile.key, ...SUCCESS_RESULT },
      ],
    ]);
    expect((await shop.trashedNames()).sort()).toEqual(['one.txt', 'two.txt']);
  });

  it('reads keys from a JSON body unless the query has keys', async () => {
    const [firstFile, secondFile, thirdFile] = await uploadTexts('one.txt', 'two.txt', 'three.txt');
    const files = [{ key: firstFile.key }, { key: secondFile.key }];
    expect((await shop.client.delete('/cdn/list', { files })).body.data).toMatchObject([
      SUCCESS_RESULT,
      SUCCESS_RESULT,
    ]);
    const reply = await shop.client.delete(`/cdn/list?files[0][key]=${thirdFile.key}`, { files });
    expect(reply.body.data).toEqual([{ key: thirdFile.key, ...SUCCESS_RESULT }]);
  });

  it.each(['', '?files=x', '?files[]=x', '?files[0][id]=1', '?files[0][key][x]=1'])(
    'refuses a query without keys: %j',
    async (query) => {
      expect((await shop.client.delete(`/cdn/list${query}`)).status).toBe(400);
    },
  );

  it.each([{ files: [] }, { files: ['x'] }, { files: [{ key: 1 }] }, { files: {} }, { files: [null] }])(
    'refuses a body without keys: %j',
    async (body) => {
      expect((await shop.client.delete('/cdn/list', body)).status).toBe(400);
    },
  );

  it('accepts at most 10,000 keys', async () => {
    const files = Array.from({ length: 10_001 }, (_, index) => ({ key: `none/${index}` }));
    expect((await shop.client.delete('/cdn/list', { files: files.slice(1) })).body.data).toHaveLength(10_000);
    expect((await shop.client.delete('/cdn/list', { files })).status).toBe(413);
  });
});

describe('the restore of files from Trash', () => {
  it('returns a file unchanged to its folder', async () => {
    const file = await shop.text('a.txt', { folder: 'x/y', alt: 'A', tags: 'one' });
    await shop.client.patch('/cdn/file', { id: file.id, hidden: true, hidden_note: 'why' });
    const fileBefore = await shop.file(file.id);
    await shop.trash(file);
    expect(statusAndBody(await shop.client.post(`/cdn/files/${file.id}/restore`))).toEqual([
      200,
      { data: SUCCESS_RESULT },
    ]);
    expect([await shop.file(file.id), await shop.trashedNames()]).toEqual([fileBefore, []]);
    expect(await shop.names('folder=x/y&hidden=1')).toEqual(['a.txt']);
  });

  it('returns one result per id, in the order sent', async () => {
    const [firstFile, secondFile, activeFile] = await uploadTexts('one.txt', 'two.txt', 'active.txt');
    for (const file of [firstFile, secondFile]) await shop.trash(file);
    const foreignFile = await new MediaShop(api, await api.app()).text('foreign.txt');
    const { status, body } = await restoreFiles(
      secondFile.id,
      999_999_999,
      firstFile.id,
      activeFile.id,
      foreignFile.id,
      secondFile.id,
      -1,
    );
    expect([status, body.data]).toEqual([
      200,
      [
        { id: secondFile.id, ...SUCCESS_RESULT },
        { id: 999_999_999, ...NOT_FOUND_RESULT },
        { id: firstFile.id, ...SUCCESS_RESULT },
        { id: activeFile.id, ...SUCCESS_RESULT },
        { id: foreignFile.id, ...NOT_FOUND_RESULT },
        { id: secondFile.id, ...SUCCESS_RESULT },
        { id: -1, ...NOT_FOUND_RESULT },
      ],
    ]);
    expect(await shop.names()).toEqual(['active.txt', 'one.txt', 'two.txt']);
  });

  it('shortens a name of maximum length to append a number', async () => {
    const name = `${'ж'.repeat(251)}.txt`;
    const firstFile = await shop.text(name);
    await shop.trash(firstFile);
    const secondFile = await shop.text(name);
    await shop.trash(secondFile);
    await shop.text(name);
    for (const [{ id }, end] of [
      [firstFile, '(2)'],
      [secondFile, '(3)'],
    ] as const) {
      await restoreFiles(id);
      const { filename } = await shop.file(id);
      expect([filename.slice(-3), filename.length]).toEqual([end, 255]);
    }
  });

  it.each([0, 999_999_999, 'x', '99999999999999999999'])('returns API.CdnFiles.FileNotFound for id %s', async (id) => {
    expect(statusAndBody(await shop.client.post(`/cdn/files/${id}/restore`))).toEqual([404, FILE_NOT_FOUND]);
  });

  it.each([
    [{}, 422],
    [{ ids: [] }, 422],
    [{ ids: null }, 422],
    [{ ids: ['1'] }, 400],
    [{ ids: 1 }, 400],
    [{ ids: Array.from({ length: 10_001 }, () => 1) }, 413],
  ])('refuses the body %j', async (requestBody, status) => {
    expect((await shop.client.post('/cdn/files/restore', requestBody)).status).toBe(status);
  });
});

describe('the purge of files in Trash', () => {
  it('removes record, renditions, versions and bytes of a file', async () => {
    const file = await shop.jpeg('a.jpg', {}, 700, 500);
    await api.runJobs();
    await shop.replace(file.id, await shop.bytes(file.url));
    await api.runJobs();
    const { url, renditions } = await shop.file(file.id);
    const [version] = (await shop.client.get(`/cdn/files/${file.id}/versions`)).body.data;
    const urls = [url, file.url, version.url, ...renditions.map((rendition: { url: string }) => rendition.url)];
    for (const address of urls) expect((await shop.fetch(address)).status).toBe(200);
    await shop.trash(file);
    expect(statusAndBody(await purgeFile(file.id))).toEqual([200, { data: SUCCESS_RESULT }]);
    for (const address of urls) expect((await shop.fetch(address)).status).toBe(404);
    expect((await shop.client.get(`/cdn/files/${file.id}`)).status).toBe(404);
    expect((await shop.client.get(`/cdn/files/${file.id}/versions`)).status).toBe(404);
    expect(await shop.trashedNames()).toEqual([]);
    await api.runJobs();
    expect([await shop.storedKeys(), api.jobFailures]).toEqual([[], []]);
    expect(statusAndBody(await purgeFile(file.id))).toEqual([404, FILE_NOT_FOUND]);
  });

  it('leaves nothing behind of a purged file that is still pending', async () => {
    const file = await shop.jpeg('a.jpg', {}, 700, 500);
    await shop.trash(file);
    await purgeFile(file.id);
    await api.runJobs();
    expect([await shop.storedKeys(), api.jobFailures]).toEqual([[], []]);
  });

  it.each([0, 999_999_999, 'x'])('returns API.CdnFiles.FileNotFound for id %s', async (id) => {
    expect(statusAndBody(await shop.client.delete(`/cdn/files/${id}/purge`))).toEqual([404, FILE_NOT_FOUND]);
  });

  it.each([
    ['ids=1,2', (ids: readonly number[]) => `ids=${ids.join(',')}`],
    ['ids[]=1', (ids: readonly number[]) => ids.map((id) => `ids[]=${id}`).join('&')],
    ['ids[0]=1', (ids: readonly number[]) => ids.map((id, index) => `ids[${index}]=${id}`).join('&')],
    ['ids=1&ids=2', (ids: readonly number[]) => ids.map((id) => `ids=${id}`).join('&')],
  ])('accepts %s and returns one result per id in order', async (_, formatQuery) => {
    const [firstFile, secondFile, activeFile] = await uploadTexts('one.txt', 'two.txt', 'active.txt');
    for (const file of [firstFile, secondFile]) await shop.trash(file);
    const foreignFile = await new MediaShop(api, await api.app()).text('foreign.txt');
    const ids = [secondFile.id, 999_999_999, activeFile.id, firstFile.id, foreignFile.id];
    const { status, body } = await shop.client.delete(`/cdn/files/purge?${formatQuery(ids)}`);
    expect([status, body.data]).toEqual([
      200,
      [
        { id: secondFile.id, ...SUCCESS_RESULT },
        { id: 999_999_999, ...NOT_FOUND_RESULT },
        { id: activeFile.id, success: false, message: 'API.CdnFiles.FileNotInTrash' },
        { id: firstFile.id, ...SUCCESS_RESULT },
        { id: foreignFile.id, ...NOT_FOUND_RESULT },
      ],
    ]);
    expect([await shop.names(), await shop.trashedNames()]).toEqual([['active.txt'], []]);
  });

  it('accepts ids in a JSON body', async () => {
    const [file] = await uploadTexts('a.txt');
    await shop.trash(file);
    expect((await shop.client.delete('/cdn/files/purge', { ids: [file.id] })).body.data).toEqual([
      { id: file.id, ...SUCCESS_RESULT },
    ]);
  });

  it.each(['', '?ids=', '?ids=x', '?ids=1,x', '?ids[a]=1'])('refuses a call without ids: %j', async (query) => {
    expect((await shop.client.delete(`/cdn/files/purge${query}`)).status).toBe(400);
  });

  it('lets either the purge or a concurrent restore succeed', async () => {
    const file = await shop.text('a.txt');
    await shop.trash(file);
    const [purgeReply, restoreReply] = await Promise.all([purgeFile(file.id), restoreFiles(file.id)]);
    const isRestored = (await shop.client.get(`/cdn/files/${file.id}`)).status === 200;
    expect([purgeReply.status, restoreReply.body.data[0].success]).toEqual(isRestored ? [400, true] : [200, false]);
  });
});

describe('the expiry of files in Trash', () => {
  const expire = () => api.container.get(TOKENS.Database).mediaTrash.expire();

  it('purges each file only once when several processes purge', async () => {
    const files = await uploadTexts('1', '2', '3', '4', '5');
    for (const file of files) await shop.trash(file);
    api.clock.forward({ hours: 31 * 24 });
    await Promise.all([expire(), expire(), expire()]);
    await api.runJobs();
    expect([await shop.trashedNames(), await shop.storedKeys(), api.jobFailures]).toEqual([[], [], []]);
  });
});

describe('DELETE /cdn/folder', () => {
  it('keeps the URLs of deleted files working', async () => {
    const file = await shop.text('a.txt', { folder: 'x/y' });
    const { body } = await trashFolder('x');
    expect(body.data).toEqual({ deleted_files: 1, deleted_folders: 2 });
    expect([await shop.trashedNames(), (await shop.fetch(file.url)).status]).toEqual([['a.txt'], 200]);
    expect((await findTrashEntry(file.id)).folder).toBe('x/y');
  });

  it('keeps the deletion times of files that are already in Trash', async () => {
    const file = await shop.text('a.txt', { folder: 'x' });
    await shop.trash(file);
    const firstEntry = await findTrashEntry(file.id);
    api.clock.forward({ hours: 1 });
    expect((await trashFolder('x')).body.data).toEqual({ deleted_files: 0, deleted_folders: 1 });
    expect(await findTrashEntry(file.id)).toEqual(firstEntry);
  });
});
