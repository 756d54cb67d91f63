import { sharpSampleImages } from '@back-office/images-sharp/testing';
import sharp from 'sharp';
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

const makeJpeg = (width: number, height: number) => sharpSampleImages.still('image/jpeg', width, height);
const statusAndBody = ({ status, body }: Reply) => [status, body];
const refusalBody = (key: string) => ({ errors: { CdnFiles: [`API.CdnFiles.${key}`] } });
const listVersions = async (id: number) => (await shop.client.get(`/cdn/files/${id}/versions`)).body.data;
const readContent = async (id: number) => shop.bytes((await shop.file(id)).url);
const uploadReplacement = (id: number, fields: object, file?: { name: string; bytes: Uint8Array }) =>
  shop.client.upload(`/cdn/files/${id}/replace`, file, fields as Record<string, string>);
const newText = { name: 'new.txt', bytes: Buffer.from('new words') };
const regenerate = (id: number, body?: object) => shop.client.post(`/cdn/files/${id}/renditions/regenerate`, body);
const readLabels = async (id: number) =>
  (await shop.file(id)).renditions.map(({ label }: { label: string }) => label).join(' ');

describe('concurrent changes of one file', () => {
  const CALL_COUNT = 8;
  const runConcurrently = <Result>(call: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: CALL_COUNT }, (_, index) => call(index)));
  const sortByVersion = (replies: readonly Reply[]) =>
    replies.map(({ body }) => body).toSorted((a, b) => a.data.version - b.data.version);

  it.each(['image', 'text'])('return the version and content of each replacement: %s', async (kind) => {
    const contents = await runConcurrently(async (index) =>
      kind === 'text' ? Buffer.from('x'.repeat(index + 1)) : makeJpeg(40 + index, 30),
    );
    const { id, url } = await shop.text('a.txt');
    const replies = await runConcurrently((index) => shop.replace(id, contents[index] as Buffer));
    expect(sortByVersion(replies).map(({ data, cache }) => [data.version, data.url, cache.url])).toEqual(
      Array.from({ length: CALL_COUNT }, (_, index) => [index + 2, `${url}?v=${index + 2}`, `${url}?v=${index + 2}`]),
    );
    expect(replies.map(({ body }) => (kind === 'text' ? body.data.size : body.data.width))).toEqual(
      contents.map((content, index) => (kind === 'text' ? content.length : 40 + index)),
    );
  });

  it('return the version of each revert', async () => {
    const { id, url } = await shop.text('a.txt');
    await shop.replace(id, 'other');
    const replies = await runConcurrently((index) =>
      shop.revert(id, { version: 1, cache_strategy: index % 2 ? 'version' : 'ttl' }),
    );
    expect(sortByVersion(replies).map(({ data, cache }) => [data.version, data.url, cache.url])).toEqual(
      sortByVersion(replies).map(({ cache }, index) => [
        index + 3,
        `${url}?v=${index + 3}`,
        cache.strategy === 'version' ? `${url}?v=${index + 3}` : url,
      ]),
    );
  });
});

describe('POST /cdn/files/{id}/replace', () => {
  it('serves the file under the URLs of old renditions when the new image cannot be decoded', async () => {
    const file = await shop.jpeg('a.jpg', {}, 400, 300);
    await api.runJobs();
    const [rendition] = (await shop.file(file.id)).renditions;
    const image = await makeJpeg(400, 300);
    await shop.replace(file.id, image.subarray(0, image.length / 3));
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await api.runJobs();
      await shop.reschedule(file.id, 'content', '-1 second');
    }
    expect(await shop.file(file.id)).toMatchObject({ processing: 'failed', renditions: [] });
    const response = await shop.fetch(rendition.url);
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([
      200,
      (await shop.file(file.id)).size,
    ]);
    api.jobFailures.length = 0;
  });

  it('changes the content and keeps key and details', async () => {
    const details = { folder: 'x', alt: 'A', caption: 'C', description: 'D', tags: 'one', source: 'admin' };
    const { id } = await shop.text('a.txt', details);
    await shop.client.patch('/cdn/file', { id, hidden: true, hidden_note: 'why' });
    const fileBefore = await shop.file(id);
    api.clock.forward({ hours: 1 });
    const { status, body } = await shop.replace(id, 'other words');
    expect([status, body.data]).toEqual([
      200,
      {
        ...fileBefore,
        size: 11,
        version: 2,
        url: `${fileBefore.url}?v=2`,
        last_modified: api.clock.now().toISOString().slice(0, 19),
      },
    ]);
    expect(body.cache).toEqual({ strategy: 'version', url: body.data.url });
    expect((await shop.bytes(body.data.url)).toString()).toBe('other words');
    expect((await shop.bytes(fileBefore.url)).toString()).toBe('other words');
  });

  it('changes the type under the same key', async () => {
    const file = await shop.jpeg('a.jpg', {}, 400, 300);
    await api.runJobs();
    const { body } = await shop.replace(file.id, 'words');
    expect(body.data).toMatchObject({ key: file.key, mime: 'text/plain', width: null, height: null, renditions: [] });
    const { headers } = await shop.fetch(body.data.url);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    await api.runJobs();
    expect(await shop.names('kind=doc')).toEqual(['a.jpg']);
    expect((await shop.bytes(file.url.replace('.jpg', '@320.jpg'))).toString()).toBe('words');
    expect(await shop.storedKeys()).toHaveLength(1 + 1 + 2 + 1 + 1);
  });

  it('keeps the URLs of all renditions when the new image is narrower', async () => {
    const { id } = await shop.jpeg('a.jpg', {}, 800, 600);
    await api.runJobs();
    const urls: string[] = (await shop.file(id)).renditions.map(({ url }: { url: string }) => url);
    await shop.replace(id, await makeJpeg(300, 200));
    await api.runJobs();
    await regenerate(id, { renditions: [640] });
    await api.runJobs();
    const widthsOf = () => Promise.all(urls.map(async (url) => (await sharp(await shop.bytes(url)).metadata()).width));
    expect([await readLabels(id), await widthsOf()]).toEqual(['', [300, 300]]);
    await shop.replace(id, await makeJpeg(500, 400));
    await api.runJobs();
    expect([await readLabels(id), await widthsOf()]).toEqual(['w320', [320, 500]]);
    await shop.revert(id, { version: 1 });
    await api.runJobs();
    expect([await readLabels(id), await widthsOf()]).toEqual(['w320 w640', [320, 640]]);
  });

  it('keeps the renditions that a preset no longer has', async () => {
    const { id } = await shop.jpeg('a.jpg', {}, 800, 600);
    await api.runJobs();
    await shop.client.put('/cdn_upload_presets', {
      cdn_upload_presets: [{ name: 'default', rendition_widths: [100] }],
    });
    await shop.replace(id, await makeJpeg(800, 600));
    await api.runJobs();
    expect(await readLabels(id)).toBe('w100 w320 w640');
  });

  it.each([
    ['version', 2],
    ['ttl', 1],
  ])('returns the URL of cache strategy %s', async (strategy, version) => {
    const { id, url } = await shop.text('a.txt');
    const { body } = await shop.replace(id, 'new', strategy);
    expect(body.cache).toEqual({ strategy, url: version === 1 ? url : `${url}?v=${version}` });
    expect(body.data.url).toBe(`${url}?v=2`);
  });

  it('rebuilds the renditions under the same keys', async () => {
    const { id } = await shop.jpeg('a.jpg', {}, 1_400, 700);
    await api.runJobs();
    const oldFile = await shop.file(id);
    await shop.replace(id, await makeJpeg(700, 1_400));
    expect((await shop.file(id)).renditions).toEqual([]);
    expect((await shop.fetch(oldFile.renditions[0].url)).status).toBe(200);
    await api.runJobs();
    const file = await shop.file(id);
    expect(file).toMatchObject({ processing: 'done', width: 700, height: 1_400, mime: 'image/webp' });
    expect(
      file.renditions.map((rendition: { key: string; width: number; height: number; url: string }) => [
        rendition.key,
        rendition.width,
        rendition.height,
        rendition.url.slice(-4),
      ]),
    ).toEqual([
      [oldFile.renditions[0].key, 320, 640, '?v=2'],
      [oldFile.renditions[1].key, 640, 1_280, '?v=2'],
    ]);
    for (const { url, height } of file.renditions) {
      expect((await sharp(await shop.bytes(url)).metadata()).height).toBe(height);
    }
    expect((await sharp(await shop.bytes(oldFile.renditions[2].url)).metadata()).width).toBe(700);
    expect(api.jobFailures).toEqual([]);
  });

  it('keeps and serves the previous content as a version', async () => {
    const { id, url } = await shop.jpeg('a.jpg', {}, 400, 300);
    await api.runJobs();
    const fileBefore = await shop.file(id);
    const bytes = await shop.bytes(url);
    api.clock.forward({ hours: 1 });
    await shop.replace(id, await makeJpeg(300, 400));
    await api.runJobs();
    const keptVersions = await listVersions(id);
    expect(keptVersions).toEqual([
      {
        version: 1,
        size: fileBefore.size,
        mime: 'image/webp',
        url: expect.any(String),
        inserted_at: fileBefore.last_modified,
        purge_at: new Date(api.clock.now().getTime() + 30 * 86_400_000).toISOString().slice(0, 19),
      },
    ]);
    const reply = await shop.fetch(keptVersions[0].url);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/webp']);
    expect(Buffer.from(await reply.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await readContent(id)).equals(bytes)).toBe(false);
  });

  it('keeps the usages of the file', async () => {
    const file = await shop.text('a.txt');
    await shop.recordUsage(file);
    expect((await shop.replace(file.id, 'new')).body.data.usage_count).toBe(1);
  });

  it('reports refusals in the documented order, and writes nothing', async () => {
    const { id } = await shop.text('a.txt', {}, 'old');
    expect(statusAndBody(await uploadReplacement(999_999_999, {}))).toEqual([404, refusalBody('FileNotFound')]);
    expect(statusAndBody(await uploadReplacement(id, {}))).toEqual([400, refusalBody('FileRequired')]);
    expect(statusAndBody(await uploadReplacement(id, { cache_strategy: 'version' }))).toEqual([
      400,
      refusalBody('FileRequired'),
    ]);
    for (const strategy of ['', 'none', 'VERSION']) {
      expect(statusAndBody(await uploadReplacement(id, { cache_strategy: strategy }, newText))).toEqual([
        400,
        refusalBody('UnknownCacheStrategy'),
      ]);
    }
    expect(statusAndBody(await uploadReplacement(id, {}, newText))).toEqual([400, refusalBody('UnknownCacheStrategy')]);
    expect(statusAndBody(await uploadReplacement(id, { cache_strategy: 'purge' }, newText))).toEqual([
      400,
      refusalBody('PurgeNotConfigured'),
    ]);
    const script = { name: 'a.txt', bytes: Buffer.from('<html></html>') };
    expect(statusAndBody(await uploadReplacement(id, { cache_strategy: 'ttl' }, script))).toEqual([
      422,
      refusalBody('UnsupportedType'),
    ]);
    await shop.trash(await shop.file(id));
    expect(statusAndBody(await uploadReplacement(id, { cache_strategy: 'none' }, newText))).toEqual([
      400,
      refusalBody('UnknownCacheStrategy'),
    ]);
    expect(statusAndBody(await uploadReplacement(id, { cache_strategy: 'ttl' }, newText))).toEqual([
      400,
      refusalBody('FileInTrash'),
    ]);
    await api.runJobs();
    expect([String(await readContent(id)), await listVersions(id), (await shop.storedKeys()).length]).toEqual([
      'old',
      [],
      2,
    ]);
  });

  it.each(['0', 'x', '99999999999999999999'])('returns API.CdnFiles.FileNotFound for id %s', async (id) => {
    const reply = await shop.client.upload(`/cdn/files/${id}/replace`, newText, { cache_strategy: 'ttl' });
    expect(statusAndBody(reply)).toEqual([404, refusalBody('FileNotFound')]);
  });
});

describe('POST /cdn/files/{id}/revert', () => {
  it('restores the latest version byte for byte as a new version', async () => {
    const { id } = await shop.jpeg('a.jpg', {}, 700, 400);
    await api.runJobs();
    const firstContent = await readContent(id);
    const { mime, width, height, size } = await shop.file(id);
    await shop.replace(id, 'words in between');
    const { status, body } = await shop.revert(id);
    expect([status, body.data]).toEqual([200, expect.objectContaining({ version: 3, mime, width, height, size })]);
    expect(body.cache).toEqual({ strategy: 'version', url: body.data.url });
    expect((await readContent(id)).equals(firstContent)).toBe(true);
    await api.runJobs();
    expect([(await readContent(id)).equals(firstContent), await readLabels(id), api.jobFailures]).toEqual([
      true,
      'w320 w640',
      [],
    ]);
    expect((await listVersions(id)).map(({ version }: { version: number }) => version)).toEqual([2, 1]);
    expect(await shop.file(id)).toMatchObject({ processing: 'done', version: 3, mime, width, height, size });
  });

  it('keeps the content after the restored version expires', async () => {
    const { id } = await shop.text('a.txt', {}, 'one');
    await shop.replace(id, 'two');
    await shop.revert(id);
    api.clock.forward({ hours: 31 * 24 });
    await api.container.get(TOKENS.Database).fileVersions.expire();
    await api.runJobs();
    expect([String(await readContent(id)), await listVersions(id)]).toEqual(['one', []]);
  });

  it('restores processed content as it was, even when the preset has changed', async () => {
    const { id } = await shop.jpeg('a.jpg', {}, 400, 300);
    await api.runJobs();
    const firstContent = await readContent(id);
    await shop.client.put('/cdn_upload_presets', {
      cdn_upload_presets: [{ name: 'default', output_format: 'jpeg', quality: 10 }],
    });
    await shop.replace(id, await makeJpeg(300, 400));
    await shop.revert(id);
    await api.runJobs();
    expect([(await readContent(id)).equals(firstContent), (await shop.file(id)).processing]).toEqual([true, 'done']);
  });

  it('reports refusals in the documented order', async () => {
    const { id } = await shop.text('a.txt');
    const revert = async (body: object, file = id) =>
      statusAndBody(await shop.client.post(`/cdn/files/${file}/revert`, body));
    expect(await revert({}, 999_999_999)).toEqual([404, refusalBody('FileNotFound')]);
    expect(await revert({ version: 0 }, 999_999_999)).toEqual([404, refusalBody('FileNotFound')]);
    for (const body of [{}, { cache_strategy: 'none' }, { cache_strategy: null }, { cache_strategy: 5 }]) {
      expect(await revert(body)).toEqual([400, refusalBody('UnknownCacheStrategy')]);
    }
    expect(await revert({ cache_strategy: 'purge' })).toEqual([400, refusalBody('PurgeNotConfigured')]);
    expect(await revert({ cache_strategy: 'ttl' })).toEqual([404, refusalBody('NoVersionToRevert')]);
    await shop.replace(id, 'new');
    for (const version of [2, 3, 2 ** 31 - 1]) {
      expect(await revert({ cache_strategy: 'ttl', version })).toEqual([404, refusalBody('NoVersionToRevert')]);
    }
    await shop.trash(await shop.file(id));
    expect(await revert({ cache_strategy: 'ttl' })).toEqual([400, refusalBody('FileInTrash')]);
    expect((await shop.file(id)).version).toBe(2);
  });

  it.each([
    [{ version: 0 }, 422],
    [{ version: 2 ** 31 }, 422],
    [{ version: '1' }, 400],
    [{ version: 1.5 }, 400],
  ])('refuses an invalid version: %j', async (body, status) => {
    const { id } = await shop.text('a.txt');
    expect((await shop.revert(id, body)).status).toBe(status);
  });
});

describe('POST /cdn/files/{id}/renditions/regenerate', () => {
  it('makes the renditions of the preset in the background', async () => {
    const { id, url } = await shop.jpeg('a.jpg', {}, 700, 400);
    await api.runJobs();
    const bytes = await shop.bytes(url);
    await shop.client.put('/cdn_upload_presets', {
      cdn_upload_presets: [{ name: 'default', rendition_widths: [100, 320] }],
    });
    const { status, body } = await regenerate(id);
    expect([status, body.data]).toEqual([202, { success: true, message: expect.any(String) }]);
    await api.runJobs();
    expect([await readLabels(id), (await shop.bytes(url)).equals(bytes)]).toEqual(['w100 w320 w640', true]);
    expect((await shop.file(id)).version).toBe(1);
  });

  it('makes the requested widths, up to the width of the image', async () => {
    const { id } = await shop.jpeg('a.jpg', {}, 700, 400);
    await api.runJobs();
    await regenerate(id, { renditions: [50, 700, 701, 320, 50] });
    await api.runJobs();
    expect([await readLabels(id), api.jobFailures]).toEqual(['w50 w320 w640 w700', []]);
    for (const { url, width, size } of (await shop.file(id)).renditions) {
      const bytes = await shop.bytes(url);
      expect([bytes.length, (await sharp(bytes).metadata()).width]).toEqual([size, width]);
    }
    expect(await shop.storedKeys()).toHaveLength(2 + 1 + 2 * 4);
  });

  it('makes no renditions before the file is processed', async () => {
    const { id } = await shop.jpeg('a.jpg', {}, 700, 400);
    await shop.reschedule(id, 'content', '1 hour');
    await regenerate(id, { renditions: [50] });
    await api.runJobs();
    expect((await shop.file(id)).processing).toBe('pending');
    await shop.reschedule(id, 'content', '0');
    await api.runJobs();
    await shop.reschedule(id, 'renditions', '0');
    await api.runJobs();
    expect(await shop.file(id)).toMatchObject({ processing: 'done', mime: 'image/webp' });
    expect([await readLabels(id), api.jobFailures]).toEqual(['w50 w320 w640', []]);
  });

  it('keeps the size of an image that was scaled down', async () => {
    await shop.client.put('/cdn_upload_presets', {
      cdn_upload_presets: [{ name: 'default', max_width: 400, rendition_widths: [100] }],
    });
    const { id } = await shop.jpeg('a.jpg', {}, 800, 600);
    await api.runJobs();
    await regenerate(id, { renditions: [50] });
    await api.runJobs();
    expect([await shop.file(id), await readLabels(id)]).toEqual([
      expect.objectContaining({ width: 400, height: 300 }),
      'w50 w100',
    ]);
    await shop.replace(id, await makeJpeg(80, 60));
    await shop.revert(id);
    await api.runJobs();
    expect(await shop.file(id)).toMatchObject({ width: 400, height: 300, processing: 'done' });
  });

  it('makes no renditions of a file that is not an image', async () => {
    const file = await shop.text('a.txt');
    expect((await regenerate(file.id, { renditions: [50] })).status).toBe(202);
    await api.runJobs();
    expect([await shop.file(file.id), api.jobFailures]).toEqual([file, []]);
  });

  it.each([
    [{ renditions: [] }, 422, { renditions: ["can't be blank"] }],
    [{ renditions: [15] }, 422, { renditions: ['is invalid'] }],
    [{ renditions: [4_097] }, 422, { renditions: ['is invalid'] }],
    [{ renditions: Array.from({ length: 11 }, (_, index) => 100 + index) }, 422, { renditions: ['is invalid'] }],
    [{ renditions: ['50'] }, 400, { detail: 'Bad Request' }],
    [{ renditions: [50.5] }, 400, { detail: 'Bad Request' }],
    [{ renditions: 50 }, 400, { detail: 'Bad Request' }],
  ])('refuses invalid widths: %j', async (requestBody, status, errors) => {
    const { id } = await shop.text('a.txt');
    expect(statusAndBody(await regenerate(id, requestBody))).toEqual([status, { errors }]);
    if (status === 422)
      expect(statusAndBody(await regenerate(999_999_999, requestBody))).toEqual([404, refusalBody('FileNotFound')]);
  });

  it('refuses an unknown file and a file in Trash', async () => {
    const file = await shop.text('a.txt');
    await shop.trash(file);
    expect(statusAndBody(await regenerate(file.id))).toEqual([400, refusalBody('FileInTrash')]);
    expect(statusAndBody(await regenerate(999_999_999))).toEqual([404, refusalBody('FileNotFound')]);
  });
});

describe('GET /cdn/files/{id}/versions', () => {
  it('returns an empty list for an unchanged file, and 404 for an unknown file', async () => {
    const { id } = await shop.text('a.txt');
    expect(await listVersions(id)).toEqual([]);
    expect(statusAndBody(await shop.client.get('/cdn/files/999999999/versions'))).toEqual([
      404,
      refusalBody('FileNotFound'),
    ]);
    expect(statusAndBody(await shop.client.get('/cdn/files/x/versions'))).toEqual([404, refusalBody('FileNotFound')]);
  });
});
