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

const listFiles = async (query = '') => (await shop.client.get(`/cdn/files?${query}`)).body.data;
const hideFile = (id: number) => shop.client.patch('/cdn/file', { id, hidden: true });
const searchFor = (text: string) => `search=${encodeURIComponent(text)}`;

describe('GET /cdn/files?folder', () => {
  beforeEach(async () => {
    await shop.text('top.txt');
    await shop.text('in.txt', { folder: 'a' });
    await shop.text('deep.txt', { folder: 'a/b' });
    await shop.text('like.txt', { folder: 'a%' });
  });

  it.each([
    ['', ['deep.txt', 'in.txt', 'like.txt', 'top.txt']],
    ['folder=a', ['in.txt']],
    ['folder=a/', ['in.txt']],
    ['folder=a/b', ['deep.txt']],
    ['folder=a%25', ['like.txt']],
    ['folder=/', ['top.txt']],
    ['folder=', ['top.txt']],
    ['folder=none', []],
    ['folder=A', []],
  ])('lists the files directly in a folder: %j', async (query, names) => {
    expect([await shop.names(query), (await listFiles(query)).total_count]).toEqual([names, names.length]);
  });
});

describe('GET /cdn/files?search', () => {
  it.each([
    ['name', 'Ljubičasta čizma.txt', {}, 'LJUBICASTA'],
    ['name, searched in Cyrillic', 'Ljubičasta čizma.txt', {}, 'љубичаста'],
    ['Cyrillic name, searched in Latin', 'Ципела.txt', {}, 'cipela'],
    ['alt text', 'a.txt', { alt: 'Đorđe na moru' }, 'ђорђе'],
    ['caption', 'a.txt', { caption: 'Летња акција' }, 'letnja akc'],
    ['tags', 'a.txt', { tags: 'zima, Sniženje' }, 'snizenje'],
    ['Cyrillic tags, searched in Latin', 'a.txt', { tags: 'зима' }, 'zim'],
  ])('finds a file by its %s', async (_, name, fields, text) => {
    await shop.text(name, fields);
    await shop.text('other.txt', { alt: 'other', caption: 'other', tags: 'other', description: text });
    expect(await shop.names(searchFor(text))).toEqual([name]);
  });

  it.each([
    ['%', ['100%.txt']],
    ['_', ['a_b.txt']],
    ['a_b', ['a_b.txt']],
    ['\\', ['back.txt']],
    ['  a_b  ', ['a_b.txt']],
    [' ', ['100%.txt', 'a_b.txt', 'axb.txt', 'back.txt']],
  ])('matches the trimmed text %j literally', async (text, names) => {
    for (const name of ['100%.txt', 'a_b.txt', 'axb.txt']) await shop.text(name);
    await shop.text('back.txt', { alt: 'one\\two' });
    expect(await shop.names(searchFor(text))).toEqual(names);
  });

  it('finds an emoji by the same emoji, not by its name', async () => {
    await shop.text('shoe.txt', { alt: '👟', tags: '❄' });
    await shop.text('👟.txt', { caption: '50％' });
    const foundNames = await Promise.all(
      ['👟', '❄', '_', '%', ':', 'athletic'].map((text) => shop.names(searchFor(text))),
    );
    expect(foundNames).toEqual([['shoe.txt', '👟.txt'], ['shoe.txt'], [], [], [], []]);
  });

  it.each(['\u0301', '\ufe0f'])('finds nothing by a lone combining character: %j', async (text) => {
    await shop.text('a.txt');
    expect(await shop.names(searchFor(text))).toEqual([]);
    expect(await shop.trashedNames(searchFor(text))).toEqual([]);
  });

  it('finds edited texts', async () => {
    const { id } = await shop.text('a.txt', { alt: 'old' });
    await shop.client.patch('/cdn/file', { id, alt: 'new', name: 'renamed.txt', tags: ['tagged'] });
    const foundNames = await Promise.all(
      ['old', 'new', 'renamed', 'tagged'].map((text) => shop.names(searchFor(text))),
    );
    expect(foundNames.map((names) => names.length)).toEqual([0, 1, 1, 1]);
  });
});

describe('GET /cdn/files with filters', () => {
  it('filters by kind', async () => {
    await shop.jpeg('a.jpg');
    await shop.text('b.txt');
    expect([await shop.names('kind=image'), await shop.names('kind=doc'), await shop.names('kind=audio')]).toEqual([
      ['a.jpg'],
      ['b.txt'],
      [],
    ]);
  });

  it('finds images without alt text, with the filter noalt', async () => {
    await shop.jpeg('bare.jpg');
    await shop.jpeg('described.jpg', { alt: 'A boot' });
    await shop.text('text.txt');
    const { id } = await shop.jpeg('empty.jpg', { alt: 'x' });
    await shop.client.patch('/cdn/file', { id, alt: '' });
    expect(await shop.names('noalt=true')).toEqual(['bare.jpg', 'empty.jpg']);
    expect(await shop.names('noalt=1')).toEqual(['bare.jpg', 'empty.jpg']);
    expect(await shop.names('noalt=false')).toHaveLength(4);
  });

  it('includes files of exactly min_size bytes', async () => {
    await shop.text('five.txt', {}, '12345');
    await shop.text('six.txt', {}, '123456');
    const foundNames = await Promise.all([5, 6, 7].map((size) => shop.names(`min_size=${size}`)));
    expect(foundNames).toEqual([['five.txt', 'six.txt'], ['six.txt'], []]);
  });

  it('compares since_days with the time when the content last changed', async () => {
    const { id } = await shop.text('old.txt');
    api.clock.forward({ hours: 48 });
    await shop.text('new.txt');
    await shop.client.patch('/cdn/file', { id, alt: 'an edit writes no content' });
    expect([await shop.names('since_days=1'), await shop.names('since_days=2')]).toEqual([
      ['new.txt'],
      ['new.txt', 'old.txt'],
    ]);
    await shop.replace(id, 'new words');
    expect(await shop.names('since_days=1')).toEqual(['new.txt', 'old.txt']);
  });

  it('finds files that have been unused for longer than the threshold, with the filter unused', async () => {
    await shop.text('old.txt');
    await shop.recordUsage(await shop.text('used.txt'));
    api.clock.forward({ hours: 30 * 24 });
    await shop.text('new.txt');
    expect(await shop.names('unused=true')).toEqual(['old.txt']);
    await shop.client.patch('/app/settings', { media: { unused_threshold_days: 31 } });
    expect(await shop.names('unused=true')).toEqual([]);
    await shop.client.patch('/app/settings', { media: { unused_threshold_days: 0 } });
    expect(await shop.names('unused=true')).toEqual(['new.txt', 'old.txt']);
  });

  it('excludes hidden files, but counts them', async () => {
    await hideFile((await shop.text('a hidden.txt')).id);
    await hideFile((await shop.text('b hidden.txt')).id);
    await shop.text('a shown.txt');
    const countFiles = async (query: string) => {
      const { total_count, hidden_count } = await listFiles(query);
      return [await shop.names(query), total_count, hidden_count];
    };
    expect(await countFiles('')).toEqual([['a shown.txt'], 1, 2]);
    expect(await countFiles('hidden=true')).toEqual([['a hidden.txt', 'a shown.txt', 'b hidden.txt'], 3, 2]);
    expect(await countFiles('hidden_only=true')).toEqual([['a hidden.txt', 'b hidden.txt'], 2, 2]);
    expect(await countFiles('hidden=false&hidden_only=false')).toEqual([['a shown.txt'], 1, 2]);
    expect(await countFiles('search=a+')).toEqual([['a shown.txt'], 1, 1]);
  });

  it('combines filters', async () => {
    await shop.jpeg('boot.jpg', { folder: 'a' });
    await shop.jpeg('boot.jpg', { folder: 'b' });
    await shop.jpeg('shoe.jpg', { folder: 'a' });
    await shop.jpeg('boot 2.jpg', { folder: 'a', alt: 'Boot' });
    await shop.text('boot.txt', { folder: 'a' });
    const { files, total_count } = await listFiles('folder=a&search=boot&kind=image&noalt=1&min_size=1&since_days=1');
    expect([total_count, files.length, files[0].filename, files[0].folder]).toEqual([1, 1, 'boot.jpg', 'a']);
  });
});

describe('GET /cdn/files with an order or a page', () => {
  beforeEach(async () => {
    await shop.text('b.txt', {}, '1');
    api.clock.forward({ seconds: 1 });
    const { id } = await shop.text('c.txt', {}, '333');
    api.clock.forward({ seconds: 1 });
    await shop.text('a.txt', {}, '22');
    api.clock.forward({ seconds: 1 });
    await shop.replace(id, '4444');
  });

  it.each([
    ['', 'abc'],
    ['orderBy=name', 'abc'],
    ['orderBy=name asc', 'abc'],
    ['orderBy=name desc', 'cba'],
    ['orderBy=size desc', 'cab'],
    ['orderBy=id desc', 'abc'],
    ['orderBy=name up', 'abc'],
    ['orderBy=name;drop table', 'abc'],
    ['orderBy=deleted_at', 'abc'],
    ['orderBy[]=size', 'abc'],
  ])('sorts the files by %j as %s', async (query, expected) => {
    expect((await shop.names(query)).map((name) => name[0]).join('')).toBe(expected);
  });

  it.each([
    ['pageNo=1&pageSize=2', 'ab'],
    ['pageNo=2&pageSize=2', 'c'],
    ['pageNo=3&pageSize=2', ''],
    ['pageNo=0&pageSize=2', 'ab'],
    ['pageNo=-1&pageSize=2', 'ab'],
    ['pageNo=x&pageSize=2', 'ab'],
    ['pageNo=99999999999999999999&pageSize=10000', ''],
    ['pageSize=0', 'abc'],
    ['pageSize=-1', 'abc'],
    ['pageSize=1.5', 'abc'],
    ['pageSize=10001', 'abc'],
    ['pageSize[]=1', 'abc'],
  ])('for the page %s returns the files %j', async (query, expected) => {
    expect((await shop.names(query)).map((name) => name[0]).join('')).toBe(expected);
    expect((await listFiles(query)).total_count).toBe(3);
  });

  it('returns 30 files per page by default', async () => {
    shop = new MediaShop(api, await api.app());
    for (let number = 0; number < 31; number += 1) await shop.text(`${number}.txt`);
    const { files, total_count } = await listFiles();
    expect([files.length, total_count]).toEqual([30, 31]);
  });
});

describe('GET /cdn/files with an invalid filter', () => {
  it.each([
    'kind=picture',
    'kind[]=audio',
    'unused=yes',
    'noalt=TRUE',
    'min_size=big',
    'min_size=-1',
    'since_days=x',
    'since_days=-1',
    'since_days=99999999999999',
    'hidden=maybe',
    'hidden_only=2',
    'search[]=none',
    'search[a]=none',
    'search=%00',
    'search=no%00ne',
    'folder=..',
    'folder=a%00',
    'folder=a%5Cb',
    'folder[]=none',
    'orderBy=%00',
    'unknown=1',
    '%00=1',
  ])('ignores %s', async (query) => {
    await shop.text('a.txt');
    const { status, body } = await shop.client.get(`/cdn/files?${query}`);
    expect([status, body.data.files.map(({ filename }: { filename: string }) => filename)]).toEqual([200, ['a.txt']]);
  });
});

describe('GET /cdn/files/summary', () => {
  it('counts files by kind and sums their bytes, separately for Trash', async () => {
    const picture = await shop.jpeg('a.jpg', {}, 400, 300);
    await shop.text('one.txt', {}, '1234567');
    await shop.trash(await shop.text('two.txt', {}, '123'));
    await hideFile((await shop.text('hidden.txt', {}, '12')).id);
    await api.runJobs();
    const { size, renditions } = await shop.file(picture.id);
    expect((await shop.client.get('/cdn/files/summary')).body.data).toEqual({
      counts: { image: 1, vector: 0, video: 0, audio: 0, doc: 2 },
      total_count: 3,
      total_size: size + 9,
      renditions_size: renditions[0].size,
      trash_count: 1,
      trash_size: 3,
    });
  });

  it('returns zeros for an app without files', async () => {
    const { counts, ...sums } = (await shop.client.get('/cdn/files/summary')).body.data;
    expect([...Object.values(counts), ...Object.values(sums)].every((number) => number === 0)).toBe(true);
  });
});

describe('GET /cdn/trash', () => {
  it('shows who deleted a file, when, and when it is purged', async () => {
    const { last_modified, ...file } = await shop.text('a.txt', { folder: 'x', alt: 'A', tags: 'one' });
    api.clock.forward({ hours: 1 });
    await shop.trash(file);
    const deletedAt = api.clock.now();
    const { status, body } = await shop.client.get('/cdn/trash');
    const formatMoment = (moment: Date) => moment.toISOString().slice(0, 19);
    expect([status, body.data]).toEqual([
      200,
      {
        files: [
          {
            ...file,
            last_modified,
            deleted_at: formatMoment(deletedAt),
            deleted_by: 'app',
            purge_at: formatMoment(new Date(deletedAt.getTime() + 30 * 86_400_000)),
          },
        ],
        total_count: 1,
      },
    ]);
    expect(await shop.names('hidden=true')).toEqual([]);
  });

  describe('with several files', () => {
    beforeEach(async () => {
      for (const [name, content] of [
        ['b.txt', '1'],
        ['c.txt', '333'],
        ['a.txt', '22'],
      ] as const) {
        await shop.trash(await shop.text(name, { caption: `caption ${name[0]}` }, content));
        api.clock.forward({ seconds: 1 });
      }
    });

    it.each([
      ['', 'acb'],
      ['order_by=deleted_at', 'bca'],
      ['order_by=deleted_at desc', 'acb'],
      ['order_by=purge_at asc', 'bca'],
      ['order_by=name', 'abc'],
      ['order_by=size desc', 'cab'],
      ['order_by=inserted_at', 'bca'],
      ['order_by=last_modified desc', 'acb'],
      ['order_by=nothing', 'acb'],
      ['orderBy=name', 'acb'],
      ['page_no=2&page_size=2', 'b'],
      ['pageNo=2&pageSize=2', 'acb'],
      ['page_size=0&page_no=0', 'acb'],
      ['search=caption c', 'c'],
      ['search=%25', ''],
      ['search=%00', 'acb'],
    ])('for the query %j returns the files %s', async (query, expected) => {
      expect((await shop.trashedNames(query)).map((name) => name[0]).join('')).toBe(expected);
    });

    it('counts all matching files on every page', async () => {
      const { body } = await shop.client.get('/cdn/trash?page_size=1');
      expect([body.data.files.length, body.data.total_count]).toEqual([1, 3]);
      expect((await shop.client.get('/cdn/trash?search=b.txt')).body.data.total_count).toBe(1);
    });
  });
});

describe('GET /cdn/files/pdf-renders', () => {
  it.each(['', 'name=', 'name=%00', 'name[]=a', 'name=none', 'name=%25'])(
    'returns an empty list when no PDF matches: %j',
    async (query) => {
      await shop.text('a.txt');
      const { status, body } = await shop.client.get(`/cdn/files/pdf-renders?${query}`);
      expect([status, body.data]).toEqual([200, []]);
    },
  );
});
