import { sharpSampleImages } from '@back-office/images-sharp/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { sizeInStore } from '../../testing/size-in-store.js';
import { testApi, type Client, type TestApi } from '../../testing/test-api.js';
import { TOKENS } from '../../tokens.js';

const POLICY = `<?xml version="1.0" encoding="UTF-8"?>
<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>`;

let server: S3rver;
let directory: string;
let api: TestApi;
let shop: Client;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 's3-'));
  server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    allowMismatchedSignatures: true,
    configureBuckets: [{ name: 'media', configs: [POLICY] }],
  });
  const { port } = (await server.run()) as AddressInfo;
  api = await testApi({
    STORAGE: 's3',
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_BUCKET: 'media',
    S3_ACCESS_KEY_ID: 'S3RVER',
    S3_SECRET_ACCESS_KEY: 'S3RVER',
    S3_PUBLIC_URL: `http://127.0.0.1:${port}/media/`,
  });
});
afterAll(async () => {
  await api.close();
  await server.close();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  shop = await api.app();
});

const jpeg = (width: number) => sharpSampleImages.still('image/jpeg', width, 300);
const store = () => api.container.get(TOKENS.Library).library.store;
const objects = async (): Promise<string[]> => {
  const found: string[] = [];
  for await (const { key } of store().list('')) found.push(key);
  return found.sort();
};
const storedSize = (key: string): Promise<number | undefined> => sizeInStore(store(), key);

describe('a library in a bucket', () => {
  it('serves each content from the bucket once its call returns', async () => {
    const { body } = await shop.upload('/cdn/files', { name: 'a.jpg', bytes: await jpeg(400) }, { folder: 'x' });
    const { key, url, size, id } = body.data;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/media\/[a-z0-9]{8}\/x\/a\.jpg$/);
    expect(await storedSize(key)).toBe(size);
    await api.work();
    const { data: done } = (await shop.get(`/cdn/files/${id}`)).body;
    expect([done.processing, done.mime, await storedSize(key)]).toEqual(['done', 'image/webp', done.size]);
    expect(await storedSize(done.renditions[0].key)).toBe(done.renditions[0].size);
    const next = await shop.upload(
      `/cdn/files/${id}/replace`,
      { name: 'b.jpg', bytes: await jpeg(500) },
      { cache_strategy: 'version' },
    );
    expect([next.status, next.body.cache.url, await storedSize(key)]).toEqual([200, `${url}?v=2`, next.body.data.size]);
    const [version] = (await shop.get(`/cdn/files/${id}/versions`)).body.data;
    expect([version.version, await storedSize(key.replace('.jpg', '@v1.jpg'))]).toEqual([1, version.size]);
    await api.work();
    expect(api.jobFailures).toEqual([]);
  });

  it('holds nothing of a purged file', async () => {
    const before = await objects();
    const { body } = await shop.upload('/cdn/files', { name: 'a.jpg', bytes: await jpeg(400) });
    await api.work();
    await shop.delete(`/cdn?file=${body.data.key}`);
    expect(await storedSize(body.data.key)).toBeDefined();
    await shop.delete(`/cdn/files/${body.data.id}/purge`);
    await api.work();
    expect(await objects()).toEqual(before);
  });
});

describe('an unreachable bucket', () => {
  it('fails readiness and uploads and leaves no file behind', async () => {
    const broken = await testApi({
      STORAGE: 's3',
      S3_ENDPOINT: 'http://127.0.0.1:9',
      S3_BUCKET: 'media',
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    });
    const client = await broken.app();
    expect((await fetch(`${broken.origin}/health/ready`)).status).toBe(503);
    const { status } = await client.upload('/cdn/files', { name: 'a.txt', bytes: Buffer.from('words') });
    expect(status).toBe(503);
    expect((await client.get('/cdn/files')).body.data.total_count).toBe(0);
    expect(await broken.database.rows(`select 1 from cdn_files`)).toEqual([]);
    await broken.close();
  });
});
