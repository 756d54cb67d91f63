import { wavSample } from '@back-office/media/testing';
import { RawHttp } from '../../testing/raw-http.js';
import { testApi, type TestApi } from '../../testing/test-api.js';
import { TOKENS } from '../../tokens.js';
import { MediaShop } from '../../testing/media-shop.js';

let api: TestApi;
let raw: RawHttp;
let shop: MediaShop;

beforeAll(async () => {
  api = await testApi();
  raw = new RawHttp(api.origin);
});
afterAll(async () => {
  raw.close();
  await api.close();
});
beforeEach(async () => {
  shop = new MediaShop(api, await api.app());
});

const DIGITS = '0123456789';
const uploadDigits = () => shop.text('digits.txt', {}, DIGITS);
const CACHE_FOREVER = 'public, max-age=31536000, immutable';
const CACHE_BRIEFLY = 'public, max-age=60';
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3"><rect width="4" height="3"/></svg>';
const PDF = '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n';

describe('a public file', () => {
  it.each([
    ['a.jpg', () => shop.jpeg('a.jpg'), 'image/jpeg'],
    ['a.txt', () => shop.text('a.txt'), 'text/plain; charset=utf-8'],
    ['a.csv', () => shop.text('a.csv', {}, 'a;b\n1;2\n'), 'text/csv; charset=utf-8'],
    ['a.svg', () => shop.upload('a.svg', Buffer.from(SVG)), 'image/svg+xml'],
    ['a.pdf', () => shop.upload('a.pdf', Buffer.from(PDF)), 'application/pdf'],
    ['a.wav', () => shop.upload('a.wav', wavSample()), 'audio/wav'],
    ['a.html with plain text', () => shop.upload('a.html', Buffer.from('words')), 'text/plain; charset=utf-8'],
  ])('is served with its content type and nosniff: %s', async (_, upload, type) => {
    const file = await upload();
    const { status, headers } = await shop.fetch(file.url);
    expect([status, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
      200,
      type,
      'nosniff',
    ]);
    expect([headers.get('content-length'), headers.get('accept-ranges')]).toEqual([String(file.size), 'bytes']);
  });

  it.each([
    ['svg', () => shop.upload('a.svg', Buffer.from(SVG)), true],
    ['txt', () => shop.text('a.txt'), true],
    ['csv', () => shop.text('a.csv', {}, 'a;b\n1;2\n'), true],
    ['pdf', () => shop.upload('a.pdf', Buffer.from(PDF)), true],
    ['jpg', () => shop.jpeg('a.jpg'), false],
  ])('has a policy against scripts if its type can contain scripts: %s', async (_, upload, hasPolicy) => {
    const policy = (await shop.fetch((await upload()).url)).headers.get('content-security-policy');
    if (hasPolicy) expect(policy).toMatch(/^default-src 'none'; (?!.*script)/);
    else expect(policy).toBeNull();
  });

  it('is cached forever under the URL with its current version, and briefly under other URLs', async () => {
    const { id, url } = await shop.text('a.txt');
    const readCacheControl = async (address: string) => (await shop.fetch(address)).headers.get('cache-control');
    expect([
      await readCacheControl(url),
      await readCacheControl(`${url}?v=1`),
      await readCacheControl(`${url}?v=2`),
    ]).toEqual([CACHE_BRIEFLY, CACHE_FOREVER, CACHE_BRIEFLY]);
    await shop.replace(id, 'new');
    expect([
      await readCacheControl(url),
      await readCacheControl(`${url}?v=1`),
      await readCacheControl(`${url}?v=2`),
    ]).toEqual([CACHE_BRIEFLY, CACHE_BRIEFLY, CACHE_FOREVER]);
  });

  it('is cached only briefly until it is processed', async () => {
    const { url } = await shop.jpeg('a.jpg', {}, 400, 300);
    const readCacheControl = async () => (await shop.fetch(`${url}?v=1`)).headers.get('cache-control');
    expect(await readCacheControl()).toBe(CACHE_BRIEFLY);
    await api.runJobs();
    expect(await readCacheControl()).toBe(CACHE_FOREVER);
  });

  it('has a strong ETag of its content', async () => {
    const { id, url } = await shop.text('a.txt');
    const readTag = async () => String((await shop.fetch(url)).headers.get('etag'));
    const firstTag = await readTag();
    expect(firstTag).toMatch(/^"[^"]+"$/);
    await shop.client.patch('/cdn/file', { id, name: 'b.txt', alt: 'A' });
    expect(await readTag()).toBe(firstTag);
    const revalidate = (etags: string) =>
      raw.call({ path: new URL(url).pathname, headers: { 'If-None-Match': etags } });
    const cachedReply = await revalidate(firstTag);
    expect([cachedReply.status, cachedReply.text, cachedReply.headers.etag]).toEqual([304, '', firstTag]);
    for (const etags of ['*', `"x", ${firstTag}`, `W/${firstTag}`]) expect((await revalidate(etags)).status).toBe(304);
    expect((await revalidate('"x"')).status).toBe(200);
    await shop.replace(id, 'new');
    expect((await revalidate(firstTag)).status).toBe(200);
  });

  it('has the same headers for HEAD and GET', async () => {
    const { url } = await uploadDigits();
    const [get, head] = [await shop.fetch(url), await shop.fetch(url, {}, 'HEAD')];
    const headersOf = ({ headers }: Response) =>
      ['content-type', 'content-length', 'etag', 'cache-control', 'accept-ranges'].map((name) => headers.get(name));
    expect([head.status, await head.text(), headersOf(head)]).toEqual([200, '', headersOf(get)]);
    const rangeReply = await shop.fetch(url, { Range: 'bytes=0-1' }, 'HEAD');
    expect([rangeReply.status, rangeReply.headers.get('content-length')]).toEqual([200, '10']);
  });
});

describe('a range request for a public file', () => {
  it.each([
    ['bytes=0-0', 206, '0', 'bytes 0-0/10'],
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
    ['bytes=9-9', 206, '9', 'bytes 9-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-10', 206, DIGITS, 'bytes 0-9/10'],
    ['bytes=-99', 206, DIGITS, 'bytes 0-9/10'],
    ['bytes=5-99', 206, '56789', 'bytes 5-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=10-12', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=0-1,4-5', 200, DIGITS, null],
    ['bytes=5-2', 200, DIGITS, null],
    ['bytes=a-b', 200, DIGITS, null],
    ['bytes=', 200, DIGITS, null],
    ['lines=0-1', 200, DIGITS, null],
    ['bytes=0-99999999999999999999', 206, DIGITS, 'bytes 0-9/10'],
  ])('with %s is answered %i', async (range, status, text, contentRange) => {
    const reply = await shop.fetch((await uploadDigits()).url, { Range: range });
    expect([reply.status, await reply.text(), reply.headers.get('content-range')]).toEqual([
      status,
      text,
      contentRange,
    ]);
    if (status === 206) expect(reply.headers.get('content-length')).toBe(String(text.length));
  });

  it('returns the range only when If-Range matches the content', async () => {
    const { id, url } = await uploadDigits();
    const tag = String((await shop.fetch(url)).headers.get('etag'));
    const readPart = async (condition: string) =>
      (await shop.fetch(url, { Range: 'bytes=0-1', 'If-Range': condition })).text();
    expect([await readPart(tag), await readPart('"x"'), await readPart(new Date().toUTCString())]).toEqual([
      '01',
      DIGITS,
      DIGITS,
    ]);
    await shop.replace(id, 'abcdef');
    expect(await readPart(tag)).toBe('abcdef');
  });
});

describe('the path of a public file', () => {
  const requestPath = async (path: string, method = 'GET') => {
    const { status, text } = await raw.call({ path, method });
    return [status, text];
  };

  it('returns 404 for unknown keys, blobs, folders and prefixes', async () => {
    const { key } = await shop.text('a.txt', { folder: 'x' });
    const [prefix] = key.split('/');
    const [blob] = (await shop.storedKeys()).filter((object) => object.startsWith('_blobs'));
    for (const path of ['none', prefix, `${prefix}/`, `${prefix}/x`, `${prefix}/x/`, `${key}/`, `/${key}`, blob]) {
      expect([path, await requestPath(`/media/${path}`)]).toEqual([path, [404, '[]']]);
    }
    for (const path of ['/media', '/media/', '/media//', '/MEDIA/x'])
      expect(await requestPath(path)).toEqual([404, '[]']);
  });

  it.each([
    '../a.txt',
    '..%2fa.txt',
    '%2e%2e/a.txt',
    '%2e%2e%2fa.txt',
    '..%252fa.txt',
    '..%5ca.txt',
    '..\\a.txt',
    'x/../a.txt',
    'x/%2e%2e/a.txt',
    './a.txt',
    '%2e/a.txt',
    'a.txt%00',
    'a.txt%00.jpg',
    '%00',
    'a.txt%0a',
    'a.txt%20',
    'a.txt/.',
    'a.txt%2f',
    'A.TXT',
    '%FF',
    '%',
    '%c0%ae%c0%ae/a.txt',
    '%ef%bc%8e%ef%bc%8e/a.txt',
    '..;/a.txt',
    'a.txt;x',
  ])('returns 404 for %s', async (path) => {
    const { key } = await shop.text('a.txt');
    const [prefix] = key.split('/');
    expect(await requestPath(`/media/${prefix}/${path}`)).toEqual([404, '[]']);
    expect(await requestPath(`/media/${path}`)).toEqual([404, '[]']);
  });

  it.each(['etc/passwd', '../../../../../../etc/passwd', '..%2f..%2f..%2f..%2fetc%2fpasswd', '%2fetc%2fpasswd'])(
    'returns 404 for a path outside the store: %s',
    async (path) => {
      expect(await requestPath(`/media/${path}`)).toEqual([404, '[]']);
    },
  );

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE'])('returns 404 for the method %s', async (method) => {
    const { key } = await shop.text('a.txt');
    expect(await requestPath(`/media/${key}`, method)).toEqual([404, '[]']);
    expect(await requestPath(`/media/${key}`)).toEqual([200, 'words of a.txt']);
  });

  it('may be percent-encoded more than needed', async () => {
    const { key } = await shop.jpeg('a.jpg', {}, 400, 300);
    await api.runJobs();
    const path = key.replace('a.jpg', '%61%40320.jpg');
    expect((await raw.call({ path: `/media/${path}` })).status).toBe(200);
  });

  it('returns 404 for a key with the prefix of another app', async () => {
    const { key } = await shop.text('a.txt');
    const otherFile = await new MediaShop(api, await api.app()).text('b.txt');
    const [prefix] = otherFile.key.split('/');
    expect(await requestPath(`/media/${key.replace(/^[^/]+/, prefix)}`)).toEqual([404, '[]']);
  });
});

describe('a public URL', () => {
  it('serves a file in Trash and returns 404 after its purge', async () => {
    const file = await shop.jpeg('a.jpg', {}, 400, 300);
    await api.runJobs();
    const { renditions, url } = await shop.file(file.id);
    await shop.trash(file);
    for (const address of [url, renditions[0].url]) expect((await shop.fetch(address)).status).toBe(200);
    await shop.client.delete(`/cdn/files/${file.id}/purge`);
    for (const address of [url, renditions[0].url]) expect((await shop.fetch(address)).status).toBe(404);
  });

  it('serves files without a token and to any origin', async () => {
    const { headers } = await shop.fetch((await shop.text('a.txt')).url);
    expect(['access-control-allow-origin', 'cross-origin-resource-policy'].map((name) => headers.get(name))).toEqual([
      '*',
      'cross-origin',
    ]);
  });

  it.each([
    'Ципела & čizma (1).txt',
    '@320.txt',
    'a@v1.txt',
    '.hidden',
    '日本.txt',
    '-',
    'a  b',
    'x'.repeat(255),
    '😀.txt',
  ])('serves a file with the name %j', async (name) => {
    const file = await shop.text(name, { folder: 'Фолдер @1/..a' });
    expect(file.key).toMatch(/^[a-z0-9]{8}\/folder-1\/a\/[a-z0-9_][a-z0-9._-]*$/);
    expect(String(await shop.bytes(file.url))).toBe(`words of ${name}`);
  });

  it('serves a file in a folder path of maximum length', async () => {
    const folder = Array.from({ length: 204 }, (_, index) => String.fromCodePoint(0x1f600 + (index % 60))).join('/');
    const files = [await shop.text('a.txt', { folder }), await shop.text('a.txt', { folder: folder.slice(0, -3) })];
    for (const { key, url } of files) {
      expect(key.length).toBeLessThan(1_000);
      expect(String(await shop.bytes(url))).toBe('words of a.txt');
    }
    expect(files[0].folder).toBe(folder);
  });

  it('stays the same when the folder of its file moves', async () => {
    const { id, url } = await shop.text('a.txt', { folder: 'x' });
    const [folder] = (await shop.client.get('/cdn/folders')).body.data;
    await shop.client.post('/cdn_folders', { cdn_folder: { name: 'y', key: 'y' } });
    await shop.client.patch('/cdn/folder', { id: folder.id, parent_folder: 'y' });
    expect(await shop.file(id)).toMatchObject({ folder: 'y/x', url });
    expect((await shop.fetch(url)).status).toBe(200);
  });
});

describe('a file whose bytes are missing in the store', () => {
  it('is answered 404', async () => {
    const file = await shop.text('a.txt');
    const { library } = api.container.get(TOKENS.Library);
    for (const key of await shop.storedKeys()) await library.store.remove(key);
    expect((await shop.fetch(file.url)).status).toBe(404);
  });
});

describe('a file replaced during a request', () => {
  let restore = (): void => {};
  afterEach(() => restore());

  const failReads = (results: readonly ('gone' | Error)[]) => {
    const { store } = api.container.get(TOKENS.Library).library;
    const read = store.read.bind(store);
    const pendingResults = [...results];
    store.read = async (...args) => {
      const result = pendingResults.shift();
      if (result instanceof Error) throw result;
      return result === 'gone' ? undefined : read(...args);
    };
    restore = () => void (store.read = read);
  };
  const fetchFile = async (url: string) => fetch(api.origin + new URL(url).pathname);

  it('is looked up again', async () => {
    const { url } = await uploadDigits();
    failReads(['gone', 'gone']);
    const response = await fetchFile(url);
    expect([response.status, await response.text()]).toEqual([200, DIGITS]);
  });

  it('is answered 404 without headers of the file when the content stays missing', async () => {
    const { url } = await uploadDigits();
    failReads(Array.from({ length: 9 }, () => 'gone' as const));
    const response = await fetchFile(url);
    expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([404, '[]', null]);
    expect(response.headers.get('content-type')).toContain('application/json');
  });

  it('is answered 503 while the store cannot be read', async () => {
    const { url } = await uploadDigits();
    failReads([new Error('The store is gone')]);
    expect((await fetchFile(url)).status).toBe(503);
  });
});
