import { parts } from '@back-office/media/testing';
import { sharpSampleImages } from '@back-office/images-sharp/testing';
import sharp from 'sharp';
import { TOKENS } from '../../tokens.js';
import { testApi, type Client, type Reply, type TestApi } from '../../testing/test-api.js';
import { PUBLISHED_STORE } from '../../testing/published-store.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi(PUBLISHED_STORE);
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
});

const makeJpeg = (width = 640, height = 480, orientation = 1) =>
  sharpSampleImages.still('image/jpeg', width, height, orientation);
const makeTextFile = (content: string) => ({ name: 'a.txt', bytes: Buffer.from(content) });
const fetchMedia = async (url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
  const { pathname, search } = new URL(url);
  return fetch(api.origin + pathname + search, { headers, method });
};
const listObjects = async (): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of api.container.get(TOKENS.Library).library.store.list('')) keys.push(key);
  return keys.sort();
};
const upload = async (
  file: { name: string; bytes: Uint8Array },
  fields: Readonly<Record<string, string | readonly string[]>> = {},
): Promise<Reply> => shop.upload('/cdn/files', file, fields);

describe('POST /cdn/files', () => {
  it('returns the file with all details', async () => {
    const bytes = await makeJpeg();
    const { status, body } = await upload(
      { name: 'Čizma Zima.JPG', bytes },
      { folder: 'Obuća/Zima', alt: 'Boot', caption: 'A boot', description: 'New', tags: 'red, boots', source: 'admin' },
    );
    expect(status).toBe(201);
    const [prefix] = body.data.key.split('/');
    const key = `${prefix}/obuca/zima/cizma-zima.jpg`;
    expect(body.data).toEqual({
      id: expect.any(Number),
      filename: 'Čizma Zima.JPG',
      key,
      url: expect.stringMatching(new RegExp(`/media/${key}$`)),
      folder: 'Obuća/Zima',
      size: expect.any(Number),
      mime: 'image/jpeg',
      width: 640,
      height: 480,
      alt: 'Boot',
      caption: 'A boot',
      tags: ['red', 'boots'],
      description: 'New',
      version: 1,
      renditions: [],
      usage_count: 0,
      hidden: false,
      hidden_by: null,
      hidden_at: null,
      hidden_note: null,
      source: 'admin',
      processing: 'pending',
      last_modified: expect.any(String),
      inserted_at: expect.any(String),
    });
    const response = await fetchMedia(body.data.url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect((await response.arrayBuffer()).byteLength).toBe(body.data.size);
    expect((await shop.get('/cdn/folders')).body.data).toMatchObject([
      { key: 'Obuća', folders: [{ key: 'Obuća/Zima' }] },
    ]);
  });

  it('processes an image by its preset in the background', async () => {
    const { body } = await upload({ name: 'a.jpg', bytes: await makeJpeg(1_400, 700, 6) });
    await api.runJobs();
    expect(api.jobFailures).toEqual([]);
    const { data } = (await shop.get(`/cdn/files/${body.data.id}`)).body;
    expect(data).toMatchObject({
      processing: 'done',
      mime: 'image/webp',
      width: 1_400,
      height: 700,
      key: body.data.key,
    });
    expect(
      data.renditions.map(({ label, width, height }: { label: string; width: number; height: number }) => [
        label,
        width,
        height,
      ]),
    ).toEqual([
      ['w320', 320, 160],
      ['w640', 640, 320],
      ['w1280', 1_280, 640],
    ]);
    for (const { url, size, width } of [data, ...data.renditions]) {
      const response = await fetchMedia(url);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect([bytes.length, (await sharp(bytes).metadata()).width]).toEqual([size, width]);
    }
    const [prefix] = data.key.split('/');
    expect((await listObjects()).filter((key) => key.includes(prefix))).toHaveLength(2 * 4 + 1);
  });

  it('strips the location before the file is public', async () => {
    const bytes = Buffer.from(
      parts.bytes([0xff, 0xd8], parts.jpegSegment(0xe1, 'Exif\0\0', parts.exif(1)), (await makeJpeg()).subarray(2)),
    );
    expect(parts.hasLocation(bytes)).toBe(true);
    const { body } = await upload({ name: 'a.jpg', bytes });
    expect(parts.hasLocation(new Uint8Array(await (await fetchMedia(body.data.url)).arrayBuffer()))).toBe(false);
  });

  it('detects the type from the content', async () => {
    const { body } = await upload({ name: 'a.html', bytes: Buffer.from('plain words') });
    expect(body.data).toMatchObject({ mime: 'text/plain', processing: 'done', width: null });
  });

  it.each([
    ['API.CdnFiles.FileRequired: no file', 400, 'API.CdnFiles.FileRequired', undefined, {}],
    [
      'API.CdnFiles.UnsupportedType: a script',
      422,
      'API.CdnFiles.UnsupportedType',
      { name: 'a.jpg', bytes: Buffer.from('<html><script>1</script>') },
      {},
    ],
    [
      'API.CdnFiles.UnsupportedType: an empty file',
      422,
      'API.CdnFiles.UnsupportedType',
      { name: 'a.jpg', bytes: Buffer.alloc(0) },
      {},
    ],
    [
      'API.CdnFiles.UnsupportedType: only a PNG signature',
      422,
      'API.CdnFiles.UnsupportedType',
      { name: 'a.png', bytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') },
      {},
    ],
  ])('fails with %s', async (_, expected, key, file, fields) => {
    await api.runJobs();
    const objectsBefore = await listObjects();
    const { status, body } = await shop.upload('/cdn/files', file, { ...fields, folder: 'x' });
    expect([status, body]).toEqual([expected, { errors: { CdnFiles: [key] } }]);
    await api.runJobs();
    expect(await listObjects()).toEqual(objectsBefore);
    expect((await shop.get('/cdn/folders')).body.data).toEqual([]);
  });

  it.each([
    ['a folder with ..', 'folder', 'is invalid', { folder: '../x' }],
    ['a name with ..', 'name', 'is invalid', { name: '../x.txt' }],
    ['a long name', 'name', 'is too long', { name: 'x'.repeat(256) }],
    ['an unknown preset', 'preset_id', 'is invalid', { preset_id: '1' }],
    ['a preset that is not a number', 'preset_id', 'is invalid', { preset_id: 'x' }],
    ['an unknown on_conflict', 'on_conflict', 'is invalid', { on_conflict: 'x' }],
    ['a long caption', 'caption', 'is too long', { caption: 'x'.repeat(5_001) }],
  ])('refuses %s', async (_, field, rule, fields: Readonly<Record<string, string>>) => {
    const { status, body } = await upload(makeTextFile('words'), fields);
    expect([status, body]).toEqual([422, { errors: { [field]: [rule] } }]);
  });

  it('refuses a name taken in its folder unless on_conflict is rename', async () => {
    const firstReply = await upload(makeTextFile('one'), { folder: 'x' });
    const secondReply = await upload(makeTextFile('two'), { folder: 'x' });
    expect([secondReply.status, secondReply.body]).toEqual([
      422,
      { errors: { CdnFiles: ['API.CdnFiles.KeyAlreadyExists'] } },
    ]);
    const thirdReply = await upload(makeTextFile('three'), { folder: 'x', on_conflict: 'rename' });
    expect(
      [firstReply, thirdReply].map(({ body }) => [body.data.filename, body.data.key.split('/').slice(1).join('/')]),
    ).toEqual([
      ['a.txt', 'x/a.txt'],
      ['a (2).txt', 'x/a-2.txt'],
    ]);
    expect((await upload(makeTextFile('four'), { folder: 'y' })).status).toBe(201);
  });

  it('stores one file per Idempotency-Key and refuses a different file with the same key', async () => {
    const keyedShop = shop.keyed('k');
    const firstReply = await keyedShop.upload('/cdn/files', makeTextFile('one'), { folder: 'x', alt: 'A' });
    const repeatedReply = await keyedShop.upload('/cdn/files', makeTextFile('one'), { alt: 'A', folder: 'x' });
    expect([repeatedReply.status, repeatedReply.text, repeatedReply.headers['idempotency-replayed']]).toEqual([
      201,
      firstReply.text,
      'true',
    ]);
    const otherReply = await keyedShop.upload('/cdn/files', makeTextFile('two'), { folder: 'x', alt: 'A' });
    expect([otherReply.status, otherReply.body]).toEqual([
      422,
      { errors: { Idempotency: ['API.Idempotency.KeyReused'] } },
    ]);
  });
});
