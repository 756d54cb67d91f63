import { testApi, type Client, type TestApi } from '../../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
});

const postFolder = (key: string, fields: object = {}) =>
  shop.post('/cdn_folders', { cdn_folder: { name: `Name of ${key}`, key, ...fields } });
const makeFolders = async (...keys: string[]): Promise<number[]> => {
  const ids: number[] = [];
  for (const key of keys) {
    const parent = key.includes('/') ? { parent_cdn_folder_path: key.slice(0, key.lastIndexOf('/')) } : {};
    const { status, body } = await postFolder(key, parent);
    expect([key, status]).toEqual([key, 201]);
    ids.push(body.data.id);
  }
  return ids;
};
interface FolderNode {
  readonly key: string;
  readonly file_count: number;
  readonly total_file_count: number;
  readonly folders: FolderNode[];
}
const outline = (nodes: readonly FolderNode[]): unknown[] =>
  nodes.map(({ key, folders }) => (folders.length === 0 ? key : [key, outline(folders)]));
const readTree = async (query = '', client = shop) => outline((await client.get(`/cdn/folders${query}`)).body.data);
const addFile = (folder: string, filename: string, { hidden = false, used = false } = {}) =>
  api.database.rows(
    `with used as (
       insert into cdn_usages (app_id, key, entity_type, entity_id, field, url, inserted_at)
       select $1, $2 || '/' || $3, 'page', '1', 'image', 'url', now() where $5
     )
     insert into cdn_files (app_id, state, key, folder, filename, kind, mime, size, content, hidden, last_modified, inserted_at)
     values ($1, 'active', $2 || '/' || $3, $2, $3, 'image', 'image/png', 1, 'o', $4, now(), now())`,
    [shop.appId, folder, filename, hidden, used],
  );
const listFiles = async () =>
  (
    await api.database.rows<{ at: string }>(
      `select state || ' ' || folder || '/' || filename as at from cdn_files where app_id = $1 order by 1`,
      [shop.appId],
    )
  ).map(({ at }) => at);

describe('POST /cdn_folders', () => {
  it('adds a folder by its last segment or full path', async () => {
    await makeFolders('products');
    const pathReply = await postFolder('products/shoes', {
      parent_cdn_folder_path: 'products',
      description: 'All of them',
    });
    expect(pathReply.body.data).toEqual({
      id: expect.any(Number),
      name: 'Name of products/shoes',
      key: 'products/shoes',
      parent_cdn_folder_path: 'products',
      description: 'All of them',
      file_count: 0,
      total_file_count: 0,
      folders: [],
    });
    const segmentReply = await postFolder('boots', { parent_cdn_folder_path: '/products/' });
    expect(segmentReply.body.data).toMatchObject({ key: 'products/boots', parent_cdn_folder_path: 'products' });
    expect(await readTree()).toEqual([['products', ['products/boots', 'products/shoes']]]);
  });

  it.each([
    [
      'API.CdnFolders.KeyAlreadyExists: a taken key',
      { name: 'Other', key: 'taken' },
      'CdnFolders',
      'API.CdnFolders.KeyAlreadyExists',
    ],
    [
      'API.CdnFolders.KeyAlreadyExists: a taken name',
      { name: 'Taken', key: 'other' },
      'CdnFolders',
      'API.CdnFolders.KeyAlreadyExists',
    ],
    [
      'API.CdnFolders.ParentNotFound',
      { name: 'A', key: 'a', parent_cdn_folder_path: 'none' },
      'CdnFolders',
      'API.CdnFolders.ParentNotFound',
    ],
    [
      'API.CdnFolders.ParentNotFound: a path below a missing parent',
      { name: 'A', key: 'none/a' },
      'CdnFolders',
      'API.CdnFolders.ParentNotFound',
    ],
    ['a path with ..', { name: 'A', key: '../a' }, 'key', 'is invalid'],
    ['a path below another parent', { name: 'A', key: 'x/a', parent_cdn_folder_path: 'taken' }, 'key', 'is invalid'],
    ['a backslash', { name: 'A', key: 'a\\b' }, 'key', 'is invalid'],
    ['a parent with ..', { name: 'A', key: 'a', parent_cdn_folder_path: '..' }, 'parent_cdn_folder_path', 'is invalid'],
    ['a name with a sign that reverses the text', { name: 'a\u202eb', key: 'a' }, 'name', 'is invalid'],
    ['no name', { key: 'a' }, 'name', "can't be blank"],
    ['no key', { name: 'A' }, 'key', "can't be blank"],
    ['the top level', { name: 'A', key: '/' }, 'key', "can't be blank"],
    ['a segment of 256 bytes', { name: 'A', key: 'č'.repeat(128) }, 'key', 'is invalid'],
  ])('fails with %s', async (_, fields, name, message) => {
    await shop.post('/cdn_folders', { cdn_folder: { name: 'Taken', key: 'taken' } });
    const { status, body } = await shop.post('/cdn_folders', { cdn_folder: fields });
    expect([status, body]).toEqual([422, { errors: { [name]: [message] } }]);
    expect(await readTree()).toEqual(['taken']);
  });

  it('allows the same key in another app', async () => {
    await makeFolders('same');
    shop = await api.app();
    await makeFolders('same');
    expect(await readTree()).toEqual(['same']);
  });
});

describe('GET /cdn/folders', () => {
  it('returns the tree in order of name, with counts of visible files', async () => {
    await makeFolders('B', 'č', 'Đ', 'e', 'a', 'a/x', 'a/x/deep');
    await addFile('a', '1.png');
    await addFile('a/x/deep', '2.png');
    await addFile('a/x/deep', '3.png', { hidden: true });
    const { body } = await shop.get('/cdn/folders');
    expect(outline(body.data)).toEqual([['a', [['a/x', ['a/x/deep']]]], 'B', 'č', 'Đ', 'e']);
    const [a] = body.data as FolderNode[];
    expect([a?.file_count, a?.total_file_count]).toEqual([1, 2]);
    expect([a?.folders[0]?.file_count, a?.folders[0]?.total_file_count]).toEqual([0, 1]);
  });

  it('shows only the branch below a folder', async () => {
    await makeFolders('a', 'a/x', 'ax');
    expect([await readTree('?folder=a'), await readTree('?folder=a/x'), await readTree('?folder=/')]).toEqual([
      ['a/x'],
      [],
      [['a', ['a/x']], 'ax'],
    ]);
  });

  it.each(['none', 'a%25', '_'])('returns 404 for an unknown folder: %s', async (folder) => {
    await makeFolders('a');
    const { status, body } = await shop.get(`/cdn/folders?folder=${folder}`);
    expect([status, body]).toEqual([404, { errors: { CdnFolders: ['API.CdnFolders.FolderNotFound'] } }]);
  });
});

describe('PATCH /cdn/folder', () => {
  it('changes the sent fields and keeps the key', async () => {
    const [id] = await makeFolders('a');
    await shop.patch('/cdn/folder', { id, description: 'D' });
    const { status, body } = await shop.patch('/cdn/folder', { id, name: 'New' });
    expect([status, body.data]).toEqual([
      200,
      expect.objectContaining({ id, key: 'a', name: 'New', description: 'D' }),
    ]);
    expect((await shop.patch('/cdn/folder', { id, description: null })).body.data.description).toBeNull();
  });

  it('moves a folder with its contents', async () => {
    const [, id] = await makeFolders('a', 'a/x', 'a/x/deep', 'ax', 'b');
    await addFile('a/x', '1.png');
    await addFile('a/x/deep', '2.png');
    await addFile('ax', '3.png');
    const { body } = await shop.patch('/cdn/folder', { id, parent_folder: 'b' });
    expect(body.data).toMatchObject({ key: 'b/x', parent_cdn_folder_path: 'b', file_count: 1, total_file_count: 2 });
    expect(await readTree()).toEqual(['a', 'ax', ['b', [['b/x', ['b/x/deep']]]]]);
    expect(await listFiles()).toEqual(['active ax/3.png', 'active b/x/1.png', 'active b/x/deep/2.png']);
    await shop.patch('/cdn/folder', { id, parent_folder: '' });
    expect(await readTree()).toEqual(['a', ['x', ['x/deep']], 'ax', 'b']);
  });

  it.each([
    ['API.CdnFolders.InvalidParent: the folder itself', 'a', 422, 'API.CdnFolders.InvalidParent'],
    ['API.CdnFolders.InvalidParent: a folder below it', 'a/x', 422, 'API.CdnFolders.InvalidParent'],
    ['API.CdnFolders.ParentNotFound', 'none', 422, 'API.CdnFolders.ParentNotFound'],
    ['API.CdnFolders.KeyAlreadyExists', 'b', 422, 'API.CdnFolders.KeyAlreadyExists'],
  ])('fails with %s', async (_, parent_folder, status, key) => {
    const [id] = await makeFolders('a', 'a/x', 'b', 'b/a');
    const reply = await shop.patch('/cdn/folder', { id, parent_folder, name: 'New' });
    expect([reply.status, reply.body]).toEqual([status, { errors: { CdnFolders: [key] } }]);
    expect(await readTree()).toEqual([
      ['a', ['a/x']],
      ['b', ['b/a']],
    ]);
    expect((await shop.get('/cdn/folders')).body.data[0].name).toBe('Name of a');
  });

  describe('with a deep branch', () => {
    const deepPath = ['a', 'č'.repeat(125), 'y'.repeat(250), 'z'.repeat(250)].join('/');
    const longParent = `${'p'.repeat(250)}/${'q'.repeat(200)}`;
    const makeBranch = async (path: string) => {
      const ids: number[] = [];
      for (const key of path.split('/').map((_, index, segments) => segments.slice(0, index + 1).join('/'))) {
        const parent_cdn_folder_path = key.slice(0, Math.max(key.lastIndexOf('/'), 0));
        const { status, body } = await postFolder(key, { name: key.slice(-200), parent_cdn_folder_path });
        expect(status).toBe(201);
        ids.push(body.data.id);
      }
      return ids;
    };

    it('allows paths of up to 1,024 bytes', async () => {
      const [id] = await makeBranch(deepPath);
      const parentBytes = 1_024 - Buffer.byteLength(`/${deepPath}`);
      const longestParent = `${'p'.repeat(100)}/${'q'.repeat(parentBytes - 101)}`;
      await makeBranch(longestParent);
      await postFolder(`${longestParent}q`, { name: 'q', parent_cdn_folder_path: 'p'.repeat(100) });
      expect((await shop.patch('/cdn/folder', { id, parent_folder: `${longestParent}q` })).status).toBe(422);
      expect((await shop.patch('/cdn/folder', { id, parent_folder: longestParent })).status).toBe(200);
      expect((await shop.patch('/cdn/folder', { id, parent_folder: '' })).status).toBe(200);
    });

    it('keeps paths within the limit while folders are added', async () => {
      await makeBranch(longParent);
      for (let round = 0; round < 6; round += 1) {
        const parent = `r${round}${deepPath.slice(1, deepPath.lastIndexOf('/'))}`;
        const [id] = await makeBranch(parent);
        await Promise.all([
          postFolder('z'.repeat(250), { name: 'z', parent_cdn_folder_path: parent }),
          shop.patch('/cdn/folder', { id, parent_folder: longParent }),
        ]);
      }
      const [longestPath] = await api.database.rows<{ bytes: number }>(
        `select max(octet_length(path)) as bytes from cdn_folders where app_id = $1`,
        [shop.appId],
      );
      expect(longestPath?.bytes).toBeLessThanOrEqual(1_024);
    });
  });

  it.each([0, -1, 999_999_999, 2 ** 52])('returns API.CdnFolders.FolderNotFound for id %d', async (id) => {
    const { status, body } = await shop.patch('/cdn/folder', { id, name: 'New' });
    expect([status, body]).toEqual([404, { errors: { CdnFolders: ['API.CdnFolders.FolderNotFound'] } }]);
  });

  it('returns the right result to each of several concurrent moves', async () => {
    // With a single connection, a read after a write runs after all other writes. An answer from such a read would show
    // them.
    const singleConnectionApi = await testApi({ DATABASE_POOL_SIZE: '1' });
    shop = await singleConnectionApi.app();
    const parents = ['b1', 'b2', 'b3', 'b4'];
    const [id] = await makeFolders('a', 'a/x', ...parents);
    const replies = await Promise.all(parents.map((parent_folder) => shop.patch('/cdn/folder', { id, parent_folder })));
    expect(replies.map(({ body }) => [body.data.key, outline(body.data.folders)])).toEqual(
      parents.map((parent) => [`${parent}/a`, [`${parent}/a/x`]]),
    );
    await singleConnectionApi.close();
  });

  it('moves only one folder when two calls move two folders into each other', async () => {
    const [firstId, secondId] = await makeFolders('a', 'b');
    const replies = await Promise.all([
      shop.patch('/cdn/folder', { id: firstId, parent_folder: 'b' }),
      shop.patch('/cdn/folder', { id: secondId, parent_folder: 'a' }),
    ]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422]);
  });
});

describe('DELETE /cdn/folder', () => {
  const deleteFolder = (folder: string) => shop.delete(`/cdn/folder?folder=${encodeURIComponent(folder)}`);

  it('puts all files of the branch into Trash and removes its folders', async () => {
    await makeFolders('a', 'a/x', 'ax');
    await addFile('a', '1.png');
    await addFile('a/x', '2.png');
    await addFile('ax', '3.png');
    const { status, body } = await deleteFolder('a');
    expect([status, body.data]).toEqual([200, { deleted_files: 2, deleted_folders: 2 }]);
    expect(await readTree()).toEqual(['ax']);
    expect(await listFiles()).toEqual(['active ax/3.png', 'trashed a/1.png', 'trashed a/x/2.png']);
    const [trashedFile] = await api.database.rows<{ days: number; by: string }>(
      `select extract(day from purge_at - deleted_at)::int as days, deleted_by as by from cdn_files
       where app_id = $1 and state = 'trashed' limit 1`,
      [shop.appId],
    );
    expect(trashedFile).toEqual({ days: 30, by: 'app' });
  });

  it('refuses to delete a used file when refuse_delete_in_use is set', async () => {
    await shop.patch('/app/settings', { media: { refuse_delete_in_use: true } });
    await makeFolders('a');
    await addFile('a', '1.png');
    await addFile('a', '2.png', { used: true });
    const { status, body } = await deleteFolder('a');
    expect([status, body]).toEqual([400, { errors: { CdnFiles: ['API.CdnFiles.FileReferenced'] } }]);
    expect([await readTree(), await listFiles()]).toEqual([['a'], ['active a/1.png', 'active a/2.png']]);
  });

  it.each(['', '/', ' '])('returns API.CdnFolders.FolderRequired for %j', async (folder) => {
    const { status, body } = await deleteFolder(folder);
    expect([status, body]).toEqual([422, { errors: { CdnFolders: ['API.CdnFolders.FolderRequired'] } }]);
  });

  it('does not find an unknown folder or one of another app', async () => {
    await makeFolders('a');
    expect((await deleteFolder('b')).status).toBe(404);
    shop = await api.app();
    expect((await deleteFolder('a')).status).toBe(404);
  });
});
