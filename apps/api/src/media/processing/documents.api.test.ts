import { encryptedPdf, mp4Video, pdfSample } from '@back-office/media/testing';
import sharp from 'sharp';
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

const fetchFile = async (url: string) => fetch(api.origin + new URL(url).pathname);
const upload = async (name: string, bytes: Uint8Array) => {
  const { status, body } = await shop.upload('/cdn/files', { name, bytes });
  expect(status).toBe(201);
  return body.data;
};
const processFile = async (id: number) => {
  await api.runJobs();
  expect(api.jobFailures).toEqual([]);
  return (await shop.get(`/cdn/files/${id}`)).body.data;
};

describe('a PDF', () => {
  const pages = [
    { width: 300, height: 200, colour: [1, 0, 0] },
    { width: 200, height: 300, colour: [0, 0, 1] },
  ] as const;

  it('gets images of its pages, and is found by name', async () => {
    const file = await upload('Katalog Čizme.pdf', pdfSample({ pages }));
    expect((await processFile(file.id)).processing).toBe('done');
    const { body } = await shop.get('/cdn/files/pdf-renders?name=cizme');
    expect(body.data).toHaveLength(1);
    const [{ file: listedFile, pages: renderedPages }] = body.data;
    expect(listedFile).toEqual({ id: file.id, filename: 'Katalog Čizme.pdf', url: file.url });
    expect(renderedPages.map(({ page }: { page: number }) => page)).toEqual([1, 2]);
    for (const { url, width, height } of renderedPages) {
      const image = await fetchFile(url);
      expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/webp']);
      expect(await sharp(Buffer.from(await image.arrayBuffer())).metadata()).toMatchObject({ width, height });
    }
    expect(renderedPages[0].width).toBeGreaterThan(renderedPages[0].height);
    expect((await shop.get('/cdn/files/pdf-renders?name=other')).body.data).toEqual([]);
  });

  it('is served without images of its pages when it has a password', async () => {
    const file = await upload('secret.pdf', encryptedPdf());
    expect((await processFile(file.id)).processing).toBe('done');
    expect((await shop.get('/cdn/files/pdf-renders')).body.data).toEqual([]);
    expect((await fetchFile(file.url)).status).toBe(200);
  });

  it('loses the images of its pages when it is purged', async () => {
    const file = await upload('a.pdf', pdfSample({ pages }));
    await processFile(file.id);
    const [{ pages: renderedPages }] = (await shop.get('/cdn/files/pdf-renders')).body.data;
    await shop.delete(`/cdn?file=${file.key}`);
    expect((await fetchFile(renderedPages[0].url)).status).toBe(200);
    await shop.delete(`/cdn/files/${file.id}/purge`);
    expect((await fetchFile(renderedPages[0].url)).status).toBe(404);
  });
});

describe('a video', () => {
  it('gets its size in the background', async () => {
    const file = await upload('a.mp4', mp4Video({ width: 1_280, height: 720 }));
    expect(file).toMatchObject({ mime: 'video/mp4', width: null, height: null });
    expect(await processFile(file.id)).toMatchObject({ processing: 'done', width: 1_280, height: 720, renditions: [] });
  });
});

describe('an SVG', () => {
  const makeSvg = (content: string) =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20" onload="alert(1)">${content}</svg>`);

  it('is published without its scripts', async () => {
    const file = await upload('a.svg', makeSvg('<script>alert(1)</script><rect width="10" height="10" fill="red"/>'));
    expect(file).toMatchObject({ mime: 'image/svg+xml', width: 30, height: 20, processing: 'done' });
    const response = await fetchFile(file.url);
    const text = await response.text();
    expect(text).toContain('<rect');
    expect(text).not.toMatch(/script|onload|alert/);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('is refused when its XML is malformed', async () => {
    const { status, body } = await shop.upload('/cdn/files', { name: 'a.svg', bytes: makeSvg('<rect>') });
    expect([status, body]).toEqual([422, { errors: { CdnFiles: ['API.CdnFiles.UnsupportedType'] } }]);
  });
});
