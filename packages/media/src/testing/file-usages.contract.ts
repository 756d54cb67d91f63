import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { EntityUsages, Usage } from '../index.js';
import { AppLibrary, MISSING_ID, type MediaLibraryFixture } from './media-library.js';

const PAGE = { offset: 0, limit: 100 };

export function fileUsagesContract(
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
  const replace = (usages: Partial<EntityUsages> & Pick<EntityUsages, 'fields'>) =>
    fixture.ports.fileUsages.replace(library.app, { entity_type: 'page', entity_id: '1', ...usages });
  const usagesOfFile = async (id: number, page = PAGE) =>
    JSON.parse(await fixture.ports.fileUsageQueries.usagesOfFile(library.appId, id, page)) as Usage[];
  const brokenUsages = async (search?: string, page = PAGE) =>
    JSON.parse(await fixture.ports.fileUsageQueries.brokenUsages(library.appId, search, page)) as Usage[];
  const missingUrl = (name: string) => library.url(`${library.app.prefix}/${name}`);
  const usageCount = async (id: number) => (await library.findFile(id)).usage_count;

  describe('the usages of an entity', () => {
    it('contain no URLs outside the library', async () => {
      const file = await library.addFile('a.jpg');
      const url = library.url(file.key);
      const fields = [
        `${url}?v=7`,
        'https://elsewhere.test/a',
        missingUrl('a@320.jpg'),
        library.url('other/a'),
        '',
        url,
      ];
      const usages = await replace({
        label: 'Home',
        fields: fields.map((fieldUrl, index) => ({ field: `f${index}`, url: fieldUrl })),
      });
      const entity = { entity_type: 'page', entity_id: '1', label: 'Home', total_count: 3 };
      expect(usages).toEqual([
        { ...entity, field: 'f0', url: `${url}?v=7` },
        { ...entity, field: 'f2', url: missingUrl('a@320.jpg') },
        { ...entity, field: 'f5', url },
      ]);
      expect([await usagesOfFile(file.id), await usageCount(file.id)]).toEqual([usages, 3]);
    });

    it('are replaced while usages of other entities stay', async () => {
      const [a, b] = [await library.addFile('a'), await library.addFile('b')];
      for (const entity_id of ['1', '2']) {
        await replace({ entity_id, fields: [{ field: 'x', url: library.url(a.key) }] });
      }
      await replace({ entity_type: 'banner', fields: [{ field: 'x', url: library.url(a.key) }] });
      expect(await replace({ fields: [{ field: 'x', url: library.url(b.key) }] })).toHaveLength(1);
      expect([await usageCount(a.id), await usageCount(b.id)]).toEqual([2, 1]);
      expect(await replace({ fields: [] })).toEqual([]);
      expect(await usageCount(b.id)).toBe(0);
    });

    it('are listed in the order of recording, page by page', async () => {
      const file = await library.addFile('a');
      for (const page of ['3', '1', '2']) await library.addUsage(file, page);
      await library.addUsage(file, '3');
      expect((await usagesOfFile(file.id)).map((usage) => usage.entity_id)).toEqual(['1', '2', '3']);
      const [secondUsage, ...furtherUsages] = await usagesOfFile(file.id, { offset: 1, limit: 1 });
      expect([secondUsage, furtherUsages]).toMatchObject([{ entity_id: '2', label: null, total_count: 3 }, []]);
      await library.trash(file);
      expect(await usagesOfFile(file.id)).toHaveLength(3);
      expect(await usagesOfFile(MISSING_ID)).toEqual([]);
      library = await AppLibrary.create(fixture);
      expect(await usagesOfFile(file.id)).toEqual([]);
    });

    it('are those of only one of several concurrent replacements', async () => {
      const file = await library.addFile('a');
      const fields = [1, 2, 3].map((index) => ({ field: `f${index}`, url: library.url(file.key) }));
      await Promise.all(Array.from({ length: 5 }, () => replace({ fields })));
      expect(await usageCount(file.id)).toBe(3);
    });
  });

  describe('broken usages', () => {
    it('belong to missing files and are sorted by key', async () => {
      const file = await library.addFile('a');
      const fields = [missingUrl('z'), library.url(file.key), missingUrl('b'), missingUrl('z')];
      await replace({ fields: fields.map((url, index) => ({ field: `f${index}`, url })) });
      expect((await brokenUsages()).map(({ field }) => field)).toEqual(['f2', 'f0', 'f3']);
      await library.trash(file);
      expect(await brokenUsages(undefined, { offset: 1, limit: 1 })).toMatchObject([{ field: 'f0', total_count: 3 }]);
      await fixture.ports.mediaTrash.purge(library.appId, [file.id]);
      expect(await brokenUsages()).toHaveLength(4);
    });

    it('are found by each of their texts, ignoring case and wildcards', async () => {
      const url = missingUrl('X_y%25.jpg');
      await replace({ label: 'Ćao Home', entity_type: 'banner', entity_id: 'Id7', fields: [{ field: 'f', url }] });
      await replace({ entity_id: 'other', fields: [{ field: 'f', url: missingUrl('b') }] });
      for (const search of ['ĆAO h', 'cao  h', 'x_Y%25', 'BANN', 'iD7'])
        expect(await brokenUsages(search)).toHaveLength(1);
      for (const search of ['x%y', 'home banner', '_%', '\\']) expect(await brokenUsages(search)).toHaveLength(0);
      expect(await brokenUsages('')).toHaveLength(2);
      expect(await brokenUsages(library.app.prefix)).toMatchObject([{ total_count: 2 }, { total_count: 2 }]);
    });

    it('have no label when their product, variant or location is missing, even if one is stored', async () => {
      for (const entity_type of ['product', 'product_variant', 'app_location']) {
        const fields = [{ field: entity_type, url: missingUrl('a') }];
        await replace({ entity_type, entity_id: String(MISSING_ID), label: 'stored', fields });
      }
      expect((await brokenUsages()).map(({ label }) => label)).toEqual([null, null, null]);
      expect(await brokenUsages('stored')).toEqual([]);
    });
  });
}
