import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { EntityUsages, Usage } from '../index.js';
import { MediaFixture, MISSING_ID, type GivenMediaLibrary } from './media-library.js';

const PAGE = { offset: 0, limit: 100 };

/** Tests for every adapter of {@link FileUsages} and its queries. */
export function fileUsagesContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenMediaLibrary>,
): void {
  let given: GivenMediaLibrary;
  let library: MediaFixture;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    library = await MediaFixture.of(given);
  });
  const replace = (usages: Partial<EntityUsages> & Pick<EntityUsages, 'fields'>) =>
    given.ports.fileUsages.replace(library.app, { entity_type: 'page', entity_id: '1', ...usages });
  const ofFile = async (id: number, page = PAGE) =>
    JSON.parse(await given.ports.fileUsageQueries.ofFile(library.appId, id, page)) as Usage[];
  const broken = async (search?: string, page = PAGE) =>
    JSON.parse(await given.ports.fileUsageQueries.broken(library.appId, search, page)) as Usage[];
  const missing = (name: string) => library.url(`${library.app.prefix}/${name}`);
  const count = async (id: number) => (await library.shown(id)).usage_count;

  describe('usages of an entity', () => {
    it('are limited to URLs of the library', async () => {
      const file = await library.file('a.jpg');
      const url = library.url(file.key);
      const fields = [`${url}?v=7`, 'https://elsewhere.test/a', missing('a@320.jpg'), library.url('other/a'), '', url];
      const used = await replace({
        label: 'Home',
        fields: fields.map((each, index) => ({ field: `f${index}`, url: each })),
      });
      const entity = { entity_type: 'page', entity_id: '1', label: 'Home', total_count: 3 };
      expect(used).toEqual([
        { ...entity, field: 'f0', url: `${url}?v=7` },
        { ...entity, field: 'f2', url: missing('a@320.jpg') },
        { ...entity, field: 'f5', url },
      ]);
      expect([await ofFile(file.id), await count(file.id)]).toEqual([used, 3]);
    });

    it('are replaced as a whole, apart from other entities', async () => {
      const [a, b] = [await library.file('a'), await library.file('b')];
      for (const entity_id of ['1', '2']) {
        await replace({ entity_id, fields: [{ field: 'x', url: library.url(a.key) }] });
      }
      await replace({ entity_type: 'banner', fields: [{ field: 'x', url: library.url(a.key) }] });
      expect(await replace({ fields: [{ field: 'x', url: library.url(b.key) }] })).toHaveLength(1);
      expect([await count(a.id), await count(b.id)]).toEqual([2, 1]);
      expect(await replace({ fields: [] })).toEqual([]);
      expect(await count(b.id)).toBe(0);
    });

    it('are listed in recorded order, by page', async () => {
      const file = await library.file('a');
      for (const page of ['3', '1', '2']) await library.use(file, page);
      await library.use(file, '3');
      expect((await ofFile(file.id)).map((usage) => usage.entity_id)).toEqual(['1', '2', '3']);
      const [second, ...others] = await ofFile(file.id, { offset: 1, limit: 1 });
      expect([second, others]).toMatchObject([{ entity_id: '2', label: null, total_count: 3 }, []]);
      await library.trash(file);
      expect(await ofFile(file.id)).toHaveLength(3);
      expect(await ofFile(MISSING_ID)).toEqual([]);
      library = await MediaFixture.of(given);
      expect(await ofFile(file.id)).toEqual([]);
    });

    it('are those of one concurrent replacement', async () => {
      const file = await library.file('a');
      const fields = [1, 2, 3].map((index) => ({ field: `f${index}`, url: library.url(file.key) }));
      await Promise.all(Array.from({ length: 5 }, () => replace({ fields })));
      expect(await count(file.id)).toBe(3);
    });
  });

  describe('broken usages', () => {
    it('are usages of missing files, by key', async () => {
      const file = await library.file('a');
      const fields = [missing('z'), library.url(file.key), missing('b'), missing('z')];
      await replace({ fields: fields.map((url, index) => ({ field: `f${index}`, url })) });
      expect((await broken()).map(({ field }) => field)).toEqual(['f2', 'f0', 'f3']);
      await library.trash(file);
      expect(await broken(undefined, { offset: 1, limit: 1 })).toMatchObject([{ field: 'f0', total_count: 3 }]);
      await given.ports.mediaTrash.purge(library.appId, [file.id]);
      expect(await broken()).toHaveLength(4);
    });

    it('are searched in every text, ignoring case, without patterns', async () => {
      const url = missing('X_y%25.jpg');
      await replace({ label: 'Ćao Home', entity_type: 'banner', entity_id: 'Id7', fields: [{ field: 'f', url }] });
      await replace({ entity_id: 'other', fields: [{ field: 'f', url: missing('b') }] });
      for (const search of ['ĆAO h', 'x_Y%25', 'BANN', 'iD7']) expect(await broken(search)).toHaveLength(1);
      for (const search of ['cao', 'x%y', 'home banner', '_%', '\\']) expect(await broken(search)).toHaveLength(0);
      expect(await broken('')).toHaveLength(2);
      expect(await broken(library.app.prefix)).toMatchObject([{ total_count: 2 }, { total_count: 2 }]);
    });

    it('show the current names of the service’s entities', async () => {
      for (const entity_type of ['product', 'product_variant', 'app_location']) {
        const fields = [{ field: entity_type, url: missing('a') }];
        await replace({ entity_type, entity_id: String(MISSING_ID), label: 'stored', fields });
      }
      expect((await broken()).map(({ label }) => label)).toEqual([null, null, null]);
      expect(await broken('stored')).toEqual([]);
    });
  });
}
