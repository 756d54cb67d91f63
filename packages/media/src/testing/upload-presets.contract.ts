import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { PresetChange } from '../index.js';
import { AppLibrary, MISSING_ID, type MediaLibraryFixture } from './media-library.js';

interface ShownPreset {
  readonly id: number;
  readonly name: string;
  readonly is_default: boolean;
}

export function uploadPresetsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<MediaLibraryFixture>,
): void {
  let fixture: MediaLibraryFixture;
  let library: AppLibrary;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    library = await AppLibrary.create(fixture);
  });
  const put = async (...changes: readonly PresetChange[]) =>
    JSON.parse(await fixture.ports.uploadPresets.put(library.appId, changes)) as ShownPreset[];
  const list = async () => JSON.parse(await fixture.ports.uploadPresetQueries.list(library.appId)) as ShownPreset[];
  const defaults = async () => (await list()).filter((preset) => preset.is_default).map(({ name }) => name);
  const defaultFields = { output_format: 'webp', max_width: 2_560, quality: 82, rendition_widths: [320, 640, 1_280] };

  describe('upload presets', () => {
    it('start with the default preset', async () => {
      expect(await list()).toEqual([{ id: expect.any(Number), name: 'default', ...defaultFields, is_default: true }]);
    });

    it('take missing values from the default preset, and are changed by name', async () => {
      const [addedPreset] = await put({ name: 'a', quality: 50, renditionWidths: [] });
      const shownPreset = {
        id: addedPreset?.id,
        name: 'a',
        ...defaultFields,
        quality: 50,
        rendition_widths: [],
        is_default: false,
      };
      expect(addedPreset).toEqual(shownPreset);
      expect(await put({ name: 'a', outputFormat: 'jpeg', maxWidth: 100, renditionWidths: [20, 10] })).toEqual([
        { ...shownPreset, output_format: 'jpeg', max_width: 100, rendition_widths: [20, 10] },
      ]);
    });

    it('are returned in input order, and listed in the order of their names', async () => {
      const returnedPresets = await put({ name: 'b' }, { name: 'A' }, { name: 'č' }, { name: 'b', quality: 7 });
      expect(returnedPresets.map(({ name }) => name)).toEqual(['b', 'A', 'č', 'b']);
      expect(returnedPresets[0]).toMatchObject({ quality: 7 });
      expect((await list()).map(({ name }) => name)).toEqual(['A', 'b', 'č', 'default']);
    });

    it('have exactly one default', async () => {
      await put({ name: 'a', isDefault: true });
      expect(await defaults()).toEqual(['a']);
      await put({ name: 'a', isDefault: false }, { name: 'default', quality: 1 });
      expect(await defaults()).toEqual(['a']);
      await put({ name: 'b', isDefault: true }, { name: 'c', isDefault: true }, { name: 'd' });
      expect(await defaults()).toEqual(['c']);
    });

    it('determine how uploaded files are processed', async () => {
      const [preset] = await put({ name: 'a', quality: 50 });
      const [presetFile, defaultFile] = [
        await library.addImage('a.jpg', { presetId: preset?.id }),
        await library.addImage('b.jpg'),
      ];
      const find = (id: number) => fixture.ports.processedFileQueries.find(library.appId, id);
      expect([(await find(presetFile.id))?.quality, (await find(defaultFile.id))?.quality]).toEqual([50, 82]);
      library = await AppLibrary.create(fixture);
      for (const presetId of [preset?.id, MISSING_ID]) {
        expect(await library.store({ presetId })).toEqual({ refused: 'is invalid', field: 'preset_id' });
      }
    });

    it('belong to one app', async () => {
      await put({ name: 'a', isDefault: true });
      library = await AppLibrary.create(fixture);
      expect((await list()).map(({ name }) => name)).toEqual(['default']);
    });

    it('keep one default under concurrent changes', async () => {
      await Promise.all(['a', 'b', 'c', 'd'].map((name) => put({ name, isDefault: true })));
      expect(await defaults()).toHaveLength(1);
      expect(await list()).toHaveLength(5);
    });
  });
}
