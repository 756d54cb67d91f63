import { testApi, type TestApi } from '../../testing/test-api.js';
import { MediaShop } from '../../testing/media-shop.js';

let api: TestApi;
let shop: MediaShop;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = new MediaShop(api, await api.app());
});

const editFile = (body: object) => shop.client.patch('/cdn/file', body);
const moveFiles = (ids: readonly number[], folder?: string | null) =>
  shop.client.patch('/cdn/files/move', { ids, folder });
const FILE_NOT_FOUND = { errors: { CdnFiles: ['API.CdnFiles.FileNotFound'] } };
const NAME_TAKEN = { errors: { CdnFiles: ['API.CdnFiles.KeyAlreadyExists'] } };

describe('PATCH /cdn/file', () => {
  it('returns the edited file without its URL, and keeps key and URL', async () => {
    const { url, last_modified, ...file } = await shop.text('a.txt', {
      folder: 'x',
      description: 'D',
      source: 'admin',
    });
    api.clock.forward({ hours: 1 });
    const changes = { name: 'Ново име.txt', alt: 'A', caption: 'C', tags: ['one', ' two', 'one'] };
    const { status, body } = await editFile({ id: file.id, ...changes });
    const { name, ...otherChanges } = changes;
    const editedFile = { ...file, ...otherChanges, filename: name, tags: ['one', 'two'], last_modified };
    expect([status, body.data]).toEqual([200, editedFile]);
    expect(await shop.file(file.id)).toEqual({ ...editedFile, url });
    expect((await shop.fetch(url)).status).toBe(200);
  });

  it('keeps absent fields and clears fields that are null', async () => {
    const { id } = await shop.text('a.txt', { alt: 'A', caption: 'C', tags: 'one' });
    await editFile({ id, caption: 'New' });
    expect(await shop.file(id)).toMatchObject({ filename: 'a.txt', alt: 'A', caption: 'New', tags: ['one'] });
    await editFile({ id, alt: null, tags: null, name: null, unknown: 1 });
    expect(await shop.file(id)).toMatchObject({ filename: 'a.txt', alt: null, caption: 'New', tags: [] });
  });

  it.each([
    ['a list', [' red ', 'blue', 'red'], ['red', 'blue']],
    ['a comma-separated text', 'red, blue,,red ', ['red', 'blue']],
    ['an empty list', [], []],
    ['an empty text', '', []],
  ])('accepts tags as %s', async (_, tags, expected) => {
    const { id } = await shop.text('a.txt', { tags: 'old' });
    expect((await editFile({ id, tags })).body.data.tags).toEqual(expected);
  });

  it('shows the renditions with their URLs', async () => {
    const { id } = await shop.jpeg('a.jpg', {}, 400, 300);
    await api.runJobs();
    const { renditions } = await shop.file(id);
    expect((await editFile({ id, alt: 'A' })).body.data.renditions).toEqual(renditions);
  });

  it('records who hid a file, when and why, until the file is shown again', async () => {
    const { id } = await shop.text('a.txt');
    const hiddenAt = api.clock.now().toISOString().slice(0, 19);
    const { body } = await editFile({ id, hidden: true, hidden_note: 'Old season' });
    const hiddenFields = { hidden: true, hidden_by: 'app', hidden_at: hiddenAt, hidden_note: 'Old season' };
    expect(body.data).toMatchObject(hiddenFields);
    api.clock.forward({ hours: 1 });
    expect((await editFile({ id, hidden: true })).body.data).toMatchObject(hiddenFields);
    expect((await editFile({ id, hidden_note: 'Really' })).body.data).toMatchObject({
      ...hiddenFields,
      hidden_note: 'Really',
    });
    const shownFields = { hidden: false, hidden_by: null, hidden_at: null, hidden_note: null };
    expect((await editFile({ id, hidden: false })).body.data).toMatchObject(shownFields);
  });

  it('exempts a file from automatic hiding after a call has sent hidden: false', async () => {
    const { id } = await shop.text('a.txt');
    const staysVisible = async () => {
      const [row] = await api.database.rows<{ stays: boolean }>(
        'select stays_visible as stays from cdn_files where id = $1',
        [id],
      );
      return row?.stays;
    };
    expect(await staysVisible()).toBe(false);
    await editFile({ id, hidden: false });
    expect(await staysVisible()).toBe(true);
    await editFile({ id, alt: 'A' });
    expect(await staysVisible()).toBe(true);
    await editFile({ id, hidden: true });
    expect(await staysVisible()).toBe(false);
  });

  it('refuses a name taken in its folder and writes nothing', async () => {
    await shop.text('taken.txt', { folder: 'x' });
    const { id } = await shop.text('a.txt', { folder: 'x', alt: 'A' });
    const { status, body } = await editFile({ id, name: 'taken.txt', alt: 'B' });
    expect([status, body]).toEqual([422, NAME_TAKEN]);
    expect(await shop.file(id)).toMatchObject({ filename: 'a.txt', alt: 'A' });
  });

  it('accepts a name used in another folder, in Trash or by the file itself', async () => {
    await shop.text('taken.txt', { folder: 'y' });
    const { id } = await shop.text('a.txt', { folder: 'x' });
    await shop.trash(await shop.text('taken.txt', { folder: 'x' }));
    expect((await editFile({ id, name: 'taken.txt' })).status).toBe(200);
    expect((await editFile({ id, name: ' taken.txt ' })).status).toBe(200);
    expect((await shop.file(id)).filename).toBe('taken.txt');
  });

  it.each([
    ['blank', ' ', "can't be blank"],
    ['a path', 'a/b', 'is invalid'],
    ['a backslash', 'a\\b', 'is invalid'],
    ['a line break', 'a\nb', 'is invalid'],
    ['two dots', '..', 'is invalid'],
    ['NUL', 'a\u0000', 'is invalid'],
    ['a lone surrogate', '\ud800', 'is invalid'],
    ['too long', 'x'.repeat(256), 'is too long'],
  ])('refuses an invalid name: %s', async (_, name, rule) => {
    const { id } = await shop.text('a.txt');
    const { status, body } = await editFile({ id, name });
    expect([status, body]).toEqual([422, { errors: { name: [rule] } }]);
  });

  it.each([
    ['alt', 'x'.repeat(5_001), 'is too long'],
    ['caption', 'x'.repeat(5_001), 'is too long'],
    ['hidden_note', 'x'.repeat(5_001), 'is too long'],
    ['tags', ['x'.repeat(256)], 'is too long'],
    ['tags', Array.from({ length: 101 }, (_, index) => `${index}`), 'is too long'],
    ['tags', ['\u0000'], 'is invalid'],
    ['alt', '\udc00', 'is invalid'],
  ])('refuses an invalid %s', async (field, value, rule) => {
    const { id } = await shop.text('a.txt');
    const { status, body } = await editFile({ id, [field]: value });
    expect([status, body]).toEqual([422, { errors: { [field]: [rule] } }]);
  });

  it('requires an id', async () => {
    const { status, body } = await editFile({ alt: 'A' });
    expect([status, body]).toEqual([422, { errors: { id: ["can't be blank"] } }]);
  });

  it.each([
    { id: 'x' },
    { id: 1.5 },
    { id: 1, hidden: 'yes' },
    { id: 1, tags: 5 },
    { id: 1, tags: [1] },
    { id: 1, alt: 1 },
  ])('refuses values of a wrong type: %j', async (body) => {
    const reply = await editFile(body);
    expect([reply.status, reply.body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });

  it.each([0, -1, 999_999_999, 2 ** 52])('returns API.CdnFiles.FileNotFound for id %d', async (id) => {
    const { status, body } = await editFile({ id, alt: 'A' });
    expect([status, body]).toEqual([404, FILE_NOT_FOUND]);
  });

  it('does not find files in Trash or of another app', async () => {
    const { id, ...file } = await shop.text('a.txt');
    const otherApp = await api.app();
    expect((await otherApp.patch('/cdn/file', { id, alt: 'B' })).body).toEqual(FILE_NOT_FOUND);
    await shop.trash(file);
    expect((await editFile({ id, alt: 'B' })).body).toEqual(FILE_NOT_FOUND);
    expect((await shop.file(id)).alt).toBeNull();
  });
});

describe('PATCH /cdn/files/move', () => {
  it('returns one result per id, in the order sent', async () => {
    const firstFile = await shop.text('one.txt');
    const secondFile = await shop.text('two.txt');
    const trashedFile = await shop.text('gone.txt');
    await shop.trash(trashedFile);
    const foreignFile = await new MediaShop(api, await api.app()).text('foreign.txt');
    await shop.text('one.txt', { folder: 'to' });
    const ids = [999_999_999, secondFile.id, firstFile.id, trashedFile.id, secondFile.id, foreignFile.id, -1, 0];
    const { status, body } = await moveFiles(ids, 'to');
    const notFound = { success: false, message: 'API.CdnFiles.FileNotFound' };
    expect([status, body.data]).toEqual([
      200,
      [
        { id: ids[0], ...notFound },
        { id: secondFile.id, success: true, message: expect.any(String) },
        { id: firstFile.id, success: false, message: 'API.CdnFiles.KeyAlreadyExists' },
        { id: trashedFile.id, ...notFound },
        { id: secondFile.id, success: true, message: expect.any(String) },
        { id: foreignFile.id, ...notFound },
        { id: -1, ...notFound },
        { id: 0, ...notFound },
      ],
    ]);
    expect([await shop.names('folder=to'), await shop.names('folder=/')]).toEqual([
      ['one.txt', 'two.txt'],
      ['one.txt'],
    ]);
  });

  it('keeps key and URL and creates missing folders', async () => {
    const { folder, ...file } = await shop.text('a.txt', { folder: 'from' });
    await moveFiles([file.id], '/new/Ново/');
    expect([folder, await shop.file(file.id)]).toEqual(['from', { ...file, folder: 'new/Ново' }]);
    const { body } = await shop.client.get('/cdn/folders');
    expect(body.data).toMatchObject([
      { key: 'from', file_count: 0 },
      { key: 'new', file_count: 0, total_file_count: 1, folders: [{ key: 'new/Ново', name: 'Ново', file_count: 1 }] },
    ]);
  });

  it.each(['', '/'])('moves files to the top level for the folder %j', async (folder) => {
    const { id } = await shop.text('a.txt', { folder: 'x' });
    expect((await moveFiles([id], folder)).body.data).toMatchObject([{ success: true }]);
    expect((await shop.file(id)).folder).toBeNull();
  });

  it('creates no folder when no file moves', async () => {
    expect((await moveFiles([999_999_999], 'never')).body.data).toMatchObject([{ success: false }]);
    expect((await shop.client.get('/cdn/folders')).body.data).toEqual([]);
  });

  it('changes nothing when the folder stays the same', async () => {
    const file = await shop.text('a.txt', { folder: 'x' });
    expect((await moveFiles([file.id], 'x')).body.data).toMatchObject([{ success: true }]);
    expect(await shop.file(file.id)).toEqual(file);
  });

  it('moves many files with as many statements as one file', async () => {
    const ids: number[] = [];
    for (let number = 0; number < 12; number += 1) ids.push((await shop.text(`${number}.txt`)).id);
    const countStatements = async (fileIds: readonly number[], folder: string) => {
      const countBefore = api.statements.length;
      await moveFiles(fileIds, folder);
      return api.statements.length - countBefore;
    };
    expect(await countStatements(ids, 'many')).toBe(await countStatements(ids.slice(0, 1), 'one'));
  });

  it.each(['..', 'a/../b', 'a\\b', 'a\u0001', 'x'.repeat(256), 'a//b', '\ud800'])(
    'refuses an invalid folder: %j',
    async (folder) => {
      const { id } = await shop.text('a.txt');
      const { status, body } = await moveFiles([id], folder);
      expect([status, body]).toEqual([422, { errors: { folder: ['is invalid'] } }]);
      expect((await shop.file(id)).folder).toBeNull();
    },
  );

  it.each([
    [{ ids: [1] }, 422, { errors: { folder: ["can't be blank"] } }],
    [{ ids: [1], folder: null }, 422, { errors: { folder: ["can't be blank"] } }],
    [{ ids: [1], folder: 'x'.repeat(1_025) }, 422, { errors: { folder: ['is too long'] } }],
    [{ folder: 'x' }, 422, { errors: { ids: ["can't be blank"] } }],
    [{ ids: [], folder: 'x' }, 422, { errors: { ids: ["can't be blank"] } }],
    [{ ids: ['1'], folder: 'x' }, 400, { errors: { detail: 'Bad Request' } }],
    [{ ids: 1, folder: 'x' }, 400, { errors: { detail: 'Bad Request' } }],
    [{ ids: [1], folder: 5 }, 400, { errors: { detail: 'Bad Request' } }],
    [
      { ids: Array.from({ length: 10_001 }, () => 1), folder: 'x' },
      413,
      { errors: { detail: 'Request Entity Too Large' } },
    ],
  ])('refuses an invalid body (%#)', async (requestBody, status, body) => {
    const reply = await shop.client.patch('/cdn/files/move', requestBody);
    expect([reply.status, reply.body]).toEqual([status, body]);
  });
});
