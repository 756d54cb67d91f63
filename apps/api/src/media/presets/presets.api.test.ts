import { sharpSampleImages } from '@back-office/images-sharp/testing';
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

const DEFAULT = {
  id: expect.any(Number),
  name: 'default',
  output_format: 'webp',
  max_width: 2_560,
  quality: 82,
  rendition_widths: [320, 640, 1_280],
  is_default: true,
};
const put = (...cdn_upload_presets: unknown[]) => shop.client.put('/cdn_upload_presets', { cdn_upload_presets });
const presets = async () => (await shop.client.get('/cdn_upload_presets')).body.data;

describe('GET /cdn_upload_presets', () => {
  it('lists the default preset of a new app', async () => {
    expect(await presets()).toEqual([DEFAULT]);
  });
});

describe('PUT /cdn_upload_presets', () => {
  it('adds and changes presets by name and returns them as sent', async () => {
    const banner = { name: 'banner', output_format: 'jpeg', max_width: 1_920, quality: 70, rendition_widths: [960] };
    const { status, body } = await put(banner, { name: 'default', quality: 90 });
    const made = { ...banner, id: expect.any(Number), is_default: false };
    expect([status, body.data]).toEqual([200, [made, { ...DEFAULT, quality: 90 }]]);
    expect(await presets()).toEqual([made, { ...DEFAULT, quality: 90 }]);
  });

  it('fills absent fields of a new preset with default values', async () => {
    const { body } = await put({ name: 'plain', quality: null });
    expect(body.data).toEqual([{ ...DEFAULT, name: 'plain', is_default: false }]);
  });

  it('keeps one default preset', async () => {
    await put({ name: 'a', is_default: true });
    await put({ name: 'b', is_default: true }, { name: 'c', is_default: true }, { name: 'a', is_default: false });
    const defaults = (await presets()).filter(({ is_default }: { is_default: boolean }) => is_default);
    expect(defaults.map(({ name }: { name: string }) => name)).toEqual(['c']);
    await put({ name: 'c', is_default: false });
    expect((await presets()).filter(({ is_default }: { is_default: boolean }) => is_default)).toHaveLength(1);
  });

  it('keeps the later of two rows with the same name', async () => {
    const { body } = await put({ name: 'a', quality: 10 }, { name: ' a ', quality: 20 });
    expect(body.data.map(({ quality }: { quality: number }) => quality)).toEqual([20, 20]);
    expect(await presets()).toHaveLength(2);
  });

  it('accepts ten concurrent calls', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => put({ name: `p${index % 3}`, is_default: true })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect((await presets()).filter(({ is_default }: { is_default: boolean }) => is_default)).toHaveLength(1);
  });

  it.each([
    ['NameCantBeBlank', {}],
    ['NameCantBeBlank', { name: ' ' }],
    ['NameCantBeBlank', { name: null }],
    ['NameIsTooLong', { name: 'x'.repeat(256) }],
    ['NameIsInvalid', { name: '\u0000' }],
    ['WrongDataType', { name: 5 }],
    ['OutputFormatIsInvalid', { name: 'a', output_format: 'gif' }],
    ['WrongDataType', { name: 'a', output_format: 5 }],
    ['MaxWidthIsInvalid', { name: 'a', max_width: 15 }],
    ['MaxWidthIsInvalid', { name: 'a', max_width: 16_385 }],
    ['WrongDataType', { name: 'a', max_width: 100.5 }],
    ['WrongDataType', { name: 'a', max_width: '100' }],
    ['QualityIsInvalid', { name: 'a', quality: 0 }],
    ['QualityIsInvalid', { name: 'a', quality: 101 }],
    ['RenditionWidthsIsInvalid', { name: 'a', rendition_widths: [15] }],
    ['RenditionWidthsIsInvalid', { name: 'a', rendition_widths: [4_097] }],
    ['RenditionWidthsIsInvalid', { name: 'a', rendition_widths: Array.from({ length: 11 }, () => 100) }],
    ['WrongDataType', { name: 'a', rendition_widths: 100 }],
    ['WrongDataType', { name: 'a', rendition_widths: ['100'] }],
    ['WrongDataType', { name: 'a', rendition_widths: [null] }],
    ['WrongDataType', { name: 'a', is_default: 'yes' }],
    ['WrongDataType', null],
    ['WrongDataType', 'a'],
  ])('returns API.CdnUploadPresets.%s for %j and writes nothing', async (rule, row) => {
    const { status, body } = await put({ name: 'good' }, row, { name: 'b', quality: 0 });
    expect([status, body]).toEqual([
      422,
      { errors: { CdnUploadPresets: [`API.CdnUploadPresets.${rule}`, 'API.CdnUploadPresets.QualityIsInvalid'] } },
    ]);
    expect(await presets()).toEqual([DEFAULT]);
  });

  it.each([{}, { cdn_upload_presets: {} }, { cdn_upload_presets: null }, []])(
    'refuses a body without rows: %j',
    async (body) => {
      expect((await shop.client.put('/cdn_upload_presets', body)).status).toBe(400);
    },
  );

  it('does not change the presets of another app', async () => {
    await put({ name: 'own', is_default: true });
    shop = new MediaShop(api, await api.app());
    expect(await presets()).toEqual([DEFAULT]);
  });
});

describe('an upload', () => {
  const preset = async (more: object): Promise<string> => String((await put({ name: 'own', ...more })).body.data[0].id);
  const processed = async (fields: Record<string, string>, bytes?: Uint8Array) => {
    const image = bytes ?? (await sharpSampleImages.still('image/png', 400, 300));
    const { id } = await shop.upload('a.png', image, fields);
    await api.work();
    return shop.file(id);
  };

  it.each([
    ['webp', 'image/webp'],
    ['jpeg', 'image/jpeg'],
    ['avif', 'image/avif'],
    ['original', 'image/png'],
  ])('becomes %s by its preset and keeps its key', async (output_format, mime) => {
    const file = await processed({ preset_id: await preset({ output_format, rendition_widths: [100] }) });
    expect(file).toMatchObject({ mime, processing: 'done', renditions: [{ label: 'w100' }] });
    expect(file.key).toMatch(/a\.png$/);
    const seen = await sharpSampleImages.look(await shop.bytes(file.url));
    expect(seen.mime).toBe(mime === 'image/avif' ? 'image/avif' : mime);
    const { headers } = await shop.fetch(file.renditions[0].url);
    expect(headers.get('content-type')).toBe(mime);
  });

  it('is scaled to the preset’s widths but never enlarged', async () => {
    const widths = { max_width: 200, rendition_widths: [100, 300, 400, 500] };
    const file = await processed({ preset_id: await preset(widths) });
    expect([file.width, file.height]).toEqual([200, 150]);
    const labels = file.renditions.map(({ label }: { label: string }) => label);
    expect(labels).toEqual(['w100', 'w300', 'w400']);
  });

  it('is smaller at a lower quality', async () => {
    const noise = await sharpSampleImages.still('image/png', 400, 300);
    const low = await processed({ preset_id: await preset({ quality: 1 }) }, noise);
    const high = await processed({ preset_id: await preset({ quality: 100 }), name: 'b.png' }, noise);
    expect(low.size).toBeLessThan(high.size);
  });

  it('uses the default preset unless one is sent', async () => {
    await preset({ output_format: 'jpeg', is_default: true });
    expect((await processed({})).mime).toBe('image/jpeg');
  });

  it('refuses a preset of another app', async () => {
    const preset_id = await preset({});
    const other = await api.app();
    const reply = await other.upload('/cdn/files', { name: 'a.txt', bytes: Buffer.from('x') }, { preset_id });
    expect([reply.status, reply.body]).toEqual([422, { errors: { preset_id: ['is invalid'] } }]);
  });
});

describe('an installation with jimp', () => {
  it('refuses presets with AVIF', async () => {
    const jimp = await testApi({ IMAGES: 'jimp' });
    try {
      const client = await jimp.app();
      const reply = await client.put('/cdn_upload_presets', {
        cdn_upload_presets: [{ name: 'a', output_format: 'avif' }],
      });
      expect([reply.status, reply.body]).toEqual([
        422,
        { errors: { CdnUploadPresets: ['API.CdnUploadPresets.OutputFormatIsInvalid'] } },
      ]);
      const own = new MediaShop(jimp, client);
      const { id } = await own.upload('a.jpg', await sharpSampleImages.cmyk(64, 48));
      const avif = await own.upload('a.avif', await sharpSampleImages.still('image/avif', 64, 48));
      const made = await own.jpeg('b.jpg', {}, 400, 300);
      await jimp.work();
      expect([await own.file(id), await own.file(avif.id)]).toMatchObject([
        { processing: 'done', mime: 'image/jpeg', renditions: [] },
        { processing: 'done', mime: 'image/avif', renditions: [] },
      ]);
      expect(await own.file(made.id)).toMatchObject({
        processing: 'done',
        mime: 'image/webp',
        renditions: [{ width: 320 }],
      });
      expect(jimp.jobFailures).toEqual([]);
    } finally {
      await jimp.close();
    }
  }, 120_000);
});
