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

const DEFAULT_PRESET = {
  id: expect.any(Number),
  name: 'default',
  output_format: 'webp',
  max_width: 2_560,
  quality: 82,
  rendition_widths: [320, 640, 1_280],
  is_default: true,
};
const putPresets = (...cdn_upload_presets: unknown[]) => shop.client.put('/cdn_upload_presets', { cdn_upload_presets });
const listPresets = async () => (await shop.client.get('/cdn_upload_presets')).body.data;

describe('GET /cdn_upload_presets', () => {
  it('lists the default preset of a new app', async () => {
    expect(await listPresets()).toEqual([DEFAULT_PRESET]);
  });
});

describe('PUT /cdn_upload_presets', () => {
  it('adds and changes presets by name and returns them as sent', async () => {
    const banner = { name: 'banner', output_format: 'jpeg', max_width: 1_920, quality: 70, rendition_widths: [960] };
    const { status, body } = await putPresets(banner, { name: 'default', quality: 90 });
    const storedBanner = { ...banner, id: expect.any(Number), is_default: false };
    expect([status, body.data]).toEqual([200, [storedBanner, { ...DEFAULT_PRESET, quality: 90 }]]);
    expect(await listPresets()).toEqual([storedBanner, { ...DEFAULT_PRESET, quality: 90 }]);
  });

  it('fills absent fields of a new preset with default values', async () => {
    const { body } = await putPresets({ name: 'plain', quality: null });
    expect(body.data).toEqual([{ ...DEFAULT_PRESET, name: 'plain', is_default: false }]);
  });

  it('keeps exactly one default preset', async () => {
    await putPresets({ name: 'a', is_default: true });
    await putPresets(
      { name: 'b', is_default: true },
      { name: 'c', is_default: true },
      { name: 'a', is_default: false },
    );
    const defaults = (await listPresets()).filter(({ is_default }: { is_default: boolean }) => is_default);
    expect(defaults.map(({ name }: { name: string }) => name)).toEqual(['c']);
    await putPresets({ name: 'c', is_default: false });
    expect((await listPresets()).filter(({ is_default }: { is_default: boolean }) => is_default)).toHaveLength(1);
  });

  it('uses the later of two rows with the same name', async () => {
    const { body } = await putPresets({ name: 'a', quality: 10 }, { name: ' a ', quality: 20 });
    expect(body.data.map(({ quality }: { quality: number }) => quality)).toEqual([20, 20]);
    expect(await listPresets()).toHaveLength(2);
  });

  it('accepts ten concurrent calls', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => putPresets({ name: `p${index % 3}`, is_default: true })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect((await listPresets()).filter(({ is_default }: { is_default: boolean }) => is_default)).toHaveLength(1);
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
    const { status, body } = await putPresets({ name: 'good' }, row, { name: 'b', quality: 0 });
    expect([status, body]).toEqual([
      422,
      { errors: { CdnUploadPresets: [`API.CdnUploadPresets.${rule}`, 'API.CdnUploadPresets.QualityIsInvalid'] } },
    ]);
    expect(await listPresets()).toEqual([DEFAULT_PRESET]);
  });

  it.each([{}, { cdn_upload_presets: {} }, { cdn_upload_presets: null }, []])(
    'refuses a body without rows: %j',
    async (body) => {
      expect((await shop.client.put('/cdn_upload_presets', body)).status).toBe(400);
    },
  );

  it('does not change the presets of another app', async () => {
    await putPresets({ name: 'own', is_default: true });
    shop = new MediaShop(api, await api.app());
    expect(await listPresets()).toEqual([DEFAULT_PRESET]);
  });
});

describe('an upload', () => {
  const makePreset = async (fields: object): Promise<string> =>
    String((await putPresets({ name: 'own', ...fields })).body.data[0].id);
  const uploadAndProcess = async (fields: Record<string, string>, bytes?: Uint8Array) => {
    const image = bytes ?? (await sharpSampleImages.still('image/png', 400, 300));
    const { id } = await shop.upload('a.png', image, fields);
    await api.runJobs();
    return shop.file(id);
  };

  it.each([
    ['webp', 'image/webp'],
    ['jpeg', 'image/jpeg'],
    ['avif', 'image/avif'],
    ['original', 'image/png'],
  ])('is converted to %s by its preset and keeps its key', async (output_format, mime) => {
    const file = await uploadAndProcess({ preset_id: await makePreset({ output_format, rendition_widths: [100] }) });
    expect(file).toMatchObject({ mime, processing: 'done', renditions: [{ label: 'w100' }] });
    expect(file.key).toMatch(/a\.png$/);
    const servedImage = await sharpSampleImages.decode(await shop.bytes(file.url));
    expect(servedImage.mime).toBe(mime === 'image/avif' ? 'image/avif' : mime);
    const { headers } = await shop.fetch(file.renditions[0].url);
    expect(headers.get('content-type')).toBe(mime);
  });

  it('is scaled to the widths of its preset, but never enlarged', async () => {
    const widths = { max_width: 200, rendition_widths: [100, 300, 400, 500] };
    const file = await uploadAndProcess({ preset_id: await makePreset(widths) });
    expect([file.width, file.height]).toEqual([200, 150]);
    const labels = file.renditions.map(({ label }: { label: string }) => label);
    expect(labels).toEqual(['w100', 'w300', 'w400']);
  });

  it('becomes smaller at a lower quality', async () => {
    const image = await sharpSampleImages.still('image/png', 400, 300);
    const smallFile = await uploadAndProcess({ preset_id: await makePreset({ quality: 1 }) }, image);
    const largeFile = await uploadAndProcess({ preset_id: await makePreset({ quality: 100 }), name: 'b.png' }, image);
    expect(smallFile.size).toBeLessThan(largeFile.size);
  });

  it('uses the default preset unless the upload names another', async () => {
    await makePreset({ output_format: 'jpeg', is_default: true });
    expect((await uploadAndProcess({})).mime).toBe('image/jpeg');
  });

  it('is refused with a preset of another app', async () => {
    const preset_id = await makePreset({});
    const otherApp = await api.app();
    const reply = await otherApp.upload('/cdn/files', { name: 'a.txt', bytes: Buffer.from('x') }, { preset_id });
    expect([reply.status, reply.body]).toEqual([422, { errors: { preset_id: ['is invalid'] } }]);
  });
});

describe('an installation with jimp', () => {
  it('refuses AVIF presets and keeps images that it cannot convert', async () => {
    const jimpApi = await testApi({ IMAGES: 'jimp' });
    try {
      const client = await jimpApi.app();
      const reply = await client.put('/cdn_upload_presets', {
        cdn_upload_presets: [{ name: 'a', output_format: 'avif' }],
      });
      expect([reply.status, reply.body]).toEqual([
        422,
        { errors: { CdnUploadPresets: ['API.CdnUploadPresets.OutputFormatIsInvalid'] } },
      ]);
      const jimpShop = new MediaShop(jimpApi, client);
      const { id } = await jimpShop.upload('a.jpg', await sharpSampleImages.cmyk(64, 48));
      const avifFile = await jimpShop.upload('a.avif', await sharpSampleImages.still('image/avif', 64, 48));
      const jpegFile = await jimpShop.jpeg('b.jpg', {}, 400, 300);
      await jimpApi.runJobs();
      expect([await jimpShop.file(id), await jimpShop.file(avifFile.id)]).toMatchObject([
        { processing: 'done', mime: 'image/jpeg', renditions: [] },
        { processing: 'done', mime: 'image/avif', renditions: [] },
      ]);
      expect(await jimpShop.file(jpegFile.id)).toMatchObject({
        processing: 'done',
        mime: 'image/webp',
        renditions: [{ width: 320 }],
      });
      expect(jimpApi.jobFailures).toEqual([]);
    } finally {
      await jimpApi.close();
    }
  }, 120_000);
});
