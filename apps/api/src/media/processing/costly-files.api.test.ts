import { sharpSampleImages as samples } from '@back-office/images-sharp/testing';
import { COSTLY_FILES, pdfSample } from '@back-office/media/testing';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MediaShop } from '../../testing/media-shop.js';
import { testApi, type TestApi } from '../../testing/test-api.js';

const COSTLY_FUNCTION = `() => { throw Object.assign(new Error('Too much CPU time'), { name: 'CostlyFile' }); }`;
const IMAGES_MODULE = `export const openImageProcessor = () => ({ can: () => true, process: ${COSTLY_FUNCTION}, close() {} });`;
const PAGES_MODULE = `export const openPageRenderer = () => ({ pages: ${COSTLY_FUNCTION}, close() {} });`;

let api: TestApi;
let shop: MediaShop;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'back-office-costly-'));
  const [images, pages] = [join(folder, 'images.mjs'), join(folder, 'pages.mjs')];
  await writeFile(images, IMAGES_MODULE);
  await writeFile(pages, PAGES_MODULE);
  api = await testApi({ IMAGES: images, PAGES: pages });
  shop = new MediaShop(api, await api.app());
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

describe('a file that is too costly to process', () => {
  it.each([
    ['photo.png', () => samples.still('image/png', 10, 10)],
    ['guide.pdf', async () => pdfSample({ pages: [{ width: 100, height: 100, colour: [1, 0, 0] }] })],
  ])('is marked as failed after one attempt, and is served as uploaded: %s', async (name, make) => {
    const { id } = await shop.upload(name, await make());
    await api.runJobs();
    const file = await shop.file(id);
    expect(file.processing).toBe('failed');
    expect((await shop.bytes(file.url)).length).toBe(file.size);
  });
});

describe('a file that is too costly to parse', () => {
  it.each(COSTLY_FILES.slice(0, 3))('is refused: $mime with $description', async ({ make }) => {
    const response = await shop.client.upload('/cdn/files', { name: 'costly', bytes: Buffer.from(make()) });
    expect(response.status).toBe(422);
    expect(JSON.stringify(response.body)).toContain('API.CdnFiles.UnsupportedType');
  });
});
