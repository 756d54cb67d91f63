import { sharpSampleImages } from '@back-office/images-sharp/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { sizeInStore } from '../../apps/api/src/testing/size-in-store.js';
import { testApi, type Client, type TestApi } from '../../apps/api/src/testing/test-api.js';
import { TOKENS } from '../../apps/api/src/tokens.js';

const CORS_POLICY = `<?xml version="1.0" encoding="UTF-8"?>
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
    configureBuckets: [{ name: 'media', configs: [CORS_POLICY] }],
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

const makeJpeg = (width: number) => sharpSampleImages.still('image/jpeg', width, 300);
const store = () => api.container.get(TOKENS.Library).library.store;
const listObjects = async (): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of store().list('')) keys.push(key);
  return keys.sort();
};
const storedSize = (key: string): Promise<number | undefined> => sizeInStore(store(), key);

describe('a library in a bucket', () => {
  it('stores all content in the bucket before the call returns', async () => {
    const { body } = await shop.upload('/cdn/files', { name: 'a.jpg', bytes: await makeJpeg(400) }, { folder: 'x' });
    const { key, url, size, id } = body.data;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/media\/[a-z0-9]{8}\/x\/a\.jpg$/);
    expect(await storedSize(key)).toBe(size);
    await api.runJobs();
    const { data: processedFile } = (await shop.get(`/cdn/files/${id}`)).body;
    expect([processedFile.processing, processedFile.mime, await storedSize(key)]).toEqual([
      'done',
      'image/webp',
      processedFile.size,
    ]);
    expect(await storedSize(processedFile.renditions[0].key)).toBe(processedFile.renditions[0].size);
    const replacement = await shop.upload(
      `/cdn/files/${id}/replace`,
      { name: 'b.jpg', bytes: await makeJpeg(500) },
      { cache_strategy: 'version' },
    );
    expect([replacement.status, replacement.body.cache.url, await storedSize(key)]).toEqual([
      200,
      `${url}?v=2`,
      replacement.body.data.size,
    ]);
    const [version] = (await shop.get(`/cdn/files/${id}/versions`)).body.data;
    expect([version.version, await storedSize(version.url.slice(url.length - key.length))]).toEqual([1, version.size]);
    await api.runJobs();
    expect(api.jobFailures).toEqual([]);
  });

  it('removes all objects of a purged file from the bucket', async () => {
    const objectsBefore = await listObjects();
    const { body } = await shop.upload('/cdn/files', { name: 'a.jpg', bytes: await makeJpeg(400) });
    await api.runJobs();
    await shop.delete(`/cdn?file=${body.data.key}`);
    expect(await storedSize(body.data.key)).toBeDefined();
    await shop.delete(`/cdn/files/${body.data.id}/purge`);
    await api.runJobs();
    expect(await listObjects()).toEqual(objectsBefore);
  });
});

describe('an unreachable bucket', () => {
  it('makes the readiness check and uploads fail', async () => {
    const brokenApi = await testApi({
      STORAGE: 's3',
      S3_ENDPOINT: 'http://127.0.0.1:9',
      S3_BUCKET: 'media',
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    });
    const client = await brokenApi.app();
    expect((await fetch(`${brokenApi.origin}/health/ready`)).status).toBe(503);
    const { status } = await client.upload('/cdn/files', { name: 'a.txt', bytes: Buffer.from('words') });
    expect(status).toBe(503);
    expect((await client.get('/cdn/files')).body.data.total_count).toBe(0);
    expect(await brokenApi.database.rows(`select 1 from cdn_files`)).toEqual([]);
    await brokenApi.close();
  });
});
