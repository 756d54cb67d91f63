import { sharpSampleImages as samples } from '@back-office/images-sharp/testing';
import { parts } from '@back-office/media/testing';
import sharp from 'sharp';
import { testApi, type TestApi } from '../../testing/test-api.js';
import { MediaShop } from '../../testing/media-shop.js';

let api: TestApi;
let shop: MediaShop;

beforeAll(async () => {
  api = await testApi({ IMAGE_PIXEL_LIMIT: '1000000' });
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = new MediaShop(api, await api.app());
  api.jobFailures.length = 0;
});

const { bytes, pngChunk, riffChunk, u16le, u32be, u32le } = parts;
const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const uploadAndProcess = async (name: string, content: Uint8Array, fields = {}) => {
  const { id } = await shop.upload(name, content, fields);
  await api.runJobs();
  return shop.file(id);
};
const readImage = async (url: string) => samples.decode(await shop.bytes(url));
const isNear = (color: readonly number[], expectedColor: readonly number[]) =>
  color.every((value, index) => Math.abs(value - (expectedColor[index] ?? value)) < 40);

function bitmap(width: number, height: number): Uint8Array {
  const rowBytes = Math.ceil((width * 3) / 4) * 4;
  const pixels = new Uint8Array(rowBytes * height).map((_, index) =>
    index % rowBytes < width * 3 && (index % rowBytes) % 3 === 2 ? 200 : 0,
  );
  const head = bytes(u32le(40), u32le(width), u32le(height), u16le(1), u16le(24), u32le(0), u32le(pixels.length));
  const unusedFields = new Uint8Array(16);
  return bytes('BM', u32le(54 + pixels.length), u32le(0), u32le(54), head, unusedFields, pixels);
}

const decompressionBomb = (width: number, height: number): Uint8Array =>
  bytes(
    PNG_SIGNATURE,
    pngChunk('IHDR', u32be(width), u32be(height), [8, 2, 0, 0, 0]),
    pngChunk('IDAT', [1]),
    pngChunk('IEND'),
  );

describe('a photo', () => {
  it('has renditions without its location metadata', async () => {
    const file = await uploadAndProcess('a.jpg', await samples.withLocation(400, 300));
    for (const { url } of [file, ...file.renditions]) {
      expect((await readImage(url)).hasMetadata).toBe(false);
    }
  });
});

describe('an image', () => {
  it('stays as uploaded when it is an animated PNG or AVIF', async () => {
    const still = Buffer.from(await samples.still('image/png', 400, 300));
    const animationControl = pngChunk('acTL', u32be(2), u32be(0));
    const png = bytes(still.subarray(0, 33), animationControl, still.subarray(33));
    const avif = Buffer.from(await samples.still('image/avif', 400, 300));
    avif.write('avis', 8);
    for (const [name, content] of [
      ['a.png', png],
      ['a.avif', avif],
    ] as const) {
      const file = await uploadAndProcess(name, content);
      expect(file).toMatchObject({ mime: `image/${name.slice(2)}`, processing: 'done', renditions: [], width: 400 });
      expect(Buffer.from(await shop.bytes(file.url)).equals(content)).toBe(true);
    }
    expect(api.jobFailures).toEqual([]);
  });

  it('stays as uploaded when its pixels cannot be read with certainty', async () => {
    const compressed = bitmap(400, 300);
    compressed.set([1, 0, 0, 0], 30);
    compressed.set([8], 28);
    const file = await uploadAndProcess('a.bmp', compressed);
    expect(file).toMatchObject({ mime: 'image/bmp', processing: 'done', renditions: [], width: 400, height: 300 });
    expect(Buffer.from(await shop.bytes(file.url)).equals(compressed)).toBe(true);
    expect(api.jobFailures).toEqual([]);
  });

  it('is converted from BMP', async () => {
    const file = await uploadAndProcess('a.bmp', bitmap(400, 300));
    expect([file, api.jobFailures]).toEqual([
      expect.objectContaining({ mime: 'image/webp', width: 400, height: 300, processing: 'done' }),
      [],
    ]);
    expect(file.key).toMatch(/\.bmp$/);
    expect(isNear(await (await readImage(file.url)).pixelAt(0.5, 0.5), [200, 0, 0])).toBe(true);
    expect(file.renditions).toMatchObject([{ width: 320, height: 240 }]);
  });

  it.each(['image/tiff', 'image/avif', 'image/gif', 'image/webp', 'image/png'] as const)(
    'is converted from %s',
    async (mime) => {
      const file = await uploadAndProcess('a', await samples.still(mime, 400, 300));
      expect(file).toMatchObject({ mime: 'image/webp', width: 400, height: 300, renditions: [{ width: 320 }] });
    },
  );

  it('is processed when it has a single pixel', async () => {
    const file = await uploadAndProcess('a.png', await samples.still('image/png', 1, 1));
    expect(file).toMatchObject({ width: 1, height: 1, processing: 'done', renditions: [] });
  });
});

describe('a broken image', () => {
  const runAllAttempts = async (id: number): Promise<string[]> => {
    const states: string[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await shop.reschedule(id, 'content', '0');
      await api.runJobs();
      states.push((await shop.file(id)).processing);
    }
    return states;
  };
  const makeNoiseJpeg = async () => {
    const pixels = Buffer.from(Array.from({ length: 200 * 200 * 3 }, (_, index) => (index * 7919) % 251));
    return sharp(pixels, { raw: { width: 200, height: 200, channels: 3 } })
      .jpeg()
      .toBuffer();
  };

  it.each([
    ['truncated', async () => (await makeNoiseJpeg()).subarray(0, 4_000)],
    [
      'garbled tables',
      async () => {
        const image = Buffer.from(await makeNoiseJpeg());
        const tableStart = image.indexOf(Buffer.from([0xff, 0xc4]));
        image.fill(0xff, tableStart + 5, tableStart + 21);
        return image;
      },
    ],
  ])('is marked as failed after three attempts, and is served as uploaded: %s', async (_, content) => {
    const image = await content();
    const { id } = await shop.upload('a.jpg', image);
    expect(await runAllAttempts(id)).toEqual(['pending', 'pending', 'failed', 'failed']);
    expect(api.jobFailures).toHaveLength(3);
    const file = await shop.file(id);
    expect(file).toMatchObject({ mime: 'image/jpeg', width: 200, height: 200, renditions: [], size: image.length });
    const reply = await shop.fetch(file.url);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(Buffer.from(await reply.arrayBuffer()).equals(image)).toBe(true);
  });

  it('is processed again when it is replaced', async () => {
    const { id } = await shop.upload('a.jpg', (await makeNoiseJpeg()).subarray(0, 4_000));
    await runAllAttempts(id);
    await shop.replace(id, await makeNoiseJpeg());
    await api.runJobs();
    expect(await shop.file(id)).toMatchObject({ processing: 'done', mime: 'image/webp', version: 2 });
  });

  it('does not mark its replacement as failed', async () => {
    const { id } = await shop.upload('a.jpg', (await makeNoiseJpeg()).subarray(0, 4_000));
    await api.runJobs();
    await shop.replace(id, 'words');
    expect(new Set(await runAllAttempts(id))).toEqual(new Set(['done']));
  });
});

describe('the pixel limit of an image', () => {
  const TOO_LARGE = { errors: { CdnFiles: ['API.CdnFiles.ImageTooLarge'] } };

  it.each([
    ['slightly too wide', () => samples.still('image/png', 1_001, 1_000)],
    ['a decompression bomb', async () => decompressionBomb(65_535, 65_535)],
    ['the largest decompression bomb', async () => decompressionBomb(2 ** 31 - 1, 2 ** 31 - 1)],
    [
      'a BMP that declares a large size',
      async () => bytes(bitmap(4, 4).subarray(0, 18), u32le(60_000), u32le(60_000), bitmap(4, 4).subarray(26)),
    ],
  ])('refuses with API.CdnFiles.ImageTooLarge: %s', async (_, content) => {
    const { status, body } = await shop.client.upload('/cdn/files', { name: 'a.png', bytes: await content() });
    expect([status, body]).toEqual([422, TOO_LARGE]);
    await api.runJobs();
    expect([await shop.names(), await shop.storedKeys()]).toEqual([[], []]);
  });

  it('refuses a larger image as a replacement', async () => {
    const { id } = await shop.text('a.txt');
    const { status, body } = await shop.replace(id, decompressionBomb(65_535, 65_535));
    expect([status, body, (await shop.file(id)).version]).toEqual([422, TOO_LARGE, 1]);
  });

  it('accepts an image of exactly this size', async () => {
    const file = await uploadAndProcess('a.png', await samples.still('image/png', 1_000, 1_000));
    expect(file).toMatchObject({ processing: 'done', width: 1_000 });
  });

  it('is enforced even when large headers precede the size of the image', async () => {
    const image = await samples.still('image/jpeg', 1_001, 1_000);
    const jpeg = bytes(
      [0xff, 0xd8],
      ...Array.from({ length: 4 }, () => parts.jpegSegment(0xe2, new Uint8Array(60_000))),
      image.subarray(2),
    );
    const reply = await shop.client.upload('/cdn/files', { name: 'a.jpg', bytes: jpeg });
    expect([reply.status, reply.body]).toEqual([422, TOO_LARGE]);
  });
});

describe('an image too tall for WebP', () => {
  it('keeps its format and gets renditions', async () => {
    const file = await uploadAndProcess('tall.png', await samples.still('image/png', 40, 16_400), {
      preset_id: await makeNarrowPreset(),
    });
    expect(file).toMatchObject({ processing: 'done', mime: 'image/png', width: 40, height: 16_400 });
    expect((await readImage(file.renditions[0].url)).mime).toBe('image/png');
    expect(api.jobFailures).toEqual([]);
  });
});

const makeNarrowPreset = async () => {
  const preset = { name: 'narrow', output_format: 'webp', rendition_widths: [20] };
  const { body } = await shop.client.put('/cdn_upload_presets', { cdn_upload_presets: [preset] });
  return String(body.data[0].id);
};

describe('an unsupported file', () => {
  it.each([
    ['an HTML page', '<!DOCTYPE html><html><body></body></html>'],
    ['a PHP script', '<?php echo 1;'],
    ['an ELF program', '\x7fELF\x02\x01\x01\0\0\0\0\0'],
    ['a Windows program', 'MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff'],
    ['random bytes', '\0\x01\x02\x03\x04\x05\xfe\xff'],
    ['a RIFF of unknown type', String.fromCharCode(...riffChunk('RIFF', 'NONE', new Uint8Array(10)))],
  ])('is refused even with the name of an image: %s', async (_, content) => {
    const file = { name: 'a.jpg', bytes: Buffer.from(content, 'latin1'), mime: 'image/jpeg' };
    const { status, body } = await shop.client.upload('/cdn/files', file);
    expect([status, body]).toEqual([422, { errors: { CdnFiles: ['API.CdnFiles.UnsupportedType'] } }]);
  });
});
