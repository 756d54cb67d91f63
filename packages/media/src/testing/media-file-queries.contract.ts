import { eachCase, followPositions, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { FileFilter, FileToProcess, StoredFile } from '../index.js';
import { ANY_FILE, AppLibrary, MISSING_ID, pathOf, type MediaLibraryFixture, type ShownFile } from './media-library.js';

const PAGE = { offset: 0, limit: 100 };

export function mediaFileQueriesContract(
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
  const queries = () => fixture.ports.mediaFileQueries;
  const list = async (filter: Partial<FileFilter> = {}, orderBy?: string, page = PAGE): Promise<ShownFile> => {
    const sorting = sortingOf(orderBy);
    return JSON.parse((await queries().list(library.appId, { ...ANY_FILE, ...filter }, sorting, page)).json);
  };
  const sortingOf = (orderBy: string | undefined) => {
    const [field = '', direction] = orderBy?.split(' ') ?? [];
    return field === '' ? undefined : ({ field, direction: direction === 'desc' ? 'desc' : 'asc' } as const);
  };
  const namesIn = (page: ShownFile): string[] => page.files.map((file: ShownFile) => file.filename);
  const names = async (...values: Parameters<typeof list>) => namesIn(await list(...values));
  const trash = async (search?: string, orderBy?: string, page = PAGE) =>
    JSON.parse((await queries().trash(library.appId, search, sortingOf(orderBy), page)).json);

  describe('a stored file', () => {
    it('is found in its app, also in Trash', async () => {
      const file = await library.addFile('a');
      await library.trash(file);
      expect(await library.findFile(file.id)).toMatchObject({ id: file.id });
      expect(await queries().find(library.appId, MISSING_ID)).toBeUndefined();
      expect(await queries().find((await AppLibrary.create(fixture)).appId, file.id)).toBeUndefined();
    });
  });

  describe('a list of files', () => {
    it('returns each file with the same fields as `find`', async () => {
      const { id } = await library.addImage('a.jpg', { folder: pathOf('p'), tags: ['x'] });
      expect(await list()).toEqual({ files: [await library.findFile(id)], total_count: 1, hidden_count: 0 });
    });

    it('is empty for an app without files', async () => {
      expect(await list()).toEqual({ files: [], total_count: 0, hidden_count: 0 });
    });

    eachCase(it, [[''], ['size desc'], ['last_modified']])(
      'has the same files when paged by position as when paged by offset, in the order "%s"',
      async (orderBy) => {
        const files = [];
        for (const name of ['b', 'a', 'e', 'd', 'c']) files.push(await library.addFile(name));
        const rowsOf = (json: unknown) => (json as ShownFile).files as object[];
        const listed = await followPositions(
          2,
          (page) => queries().list(library.appId, ANY_FILE, sortingOf(orderBy), page),
          rowsOf,
        );
        expect(listed).toEqual((await list({}, orderBy)).files);
        for (const file of files) await library.trash(file);
        const trashed = await followPositions(
          2,
          (page) => queries().trash(library.appId, undefined, sortingOf(orderBy), page),
          rowsOf,
        );
        expect(trashed).toEqual((await trash(undefined, orderBy)).files);
      },
    );

    it('is sorted by folded name, then by name, by default', async () => {
      const fileNames = ['b', 'B', 'a', 'č', '\u{1F600}', '\u{FF21}', '1', 'a b', 'a-b', '_'];
      for (const name of fileNames) await library.addFile(name);
      const sortedNames = ['1', '_', 'a', 'a b', 'a-b', 'B', 'b', 'č', '\u{FF21}', '\u{1F600}'];
      expect(await names()).toEqual(sortedNames);
      expect(await names({}, 'name desc')).toEqual([...sortedNames].reverse());
    });

    eachCase(it, [
      ['size', ['b', 'a', 'c']],
      ['size desc', ['c', 'a', 'b']],
      ['inserted_at', ['a', 'b', 'c']],
      ['inserted_at desc', ['c', 'b', 'a']],
      ['last_modified desc', ['c', 'b', 'a']],
    ])('is sorted by %s, then by id', async (orderBy, expected) => {
      await library.addFile('a', {}, { bytes: 9 });
      fixture.clock.forward({ hours: 1 });
      await library.addFile('b', {}, { bytes: 8 });
      await library.addFile('c', {}, { bytes: 9 });
      expect(await names({}, orderBy)).toEqual(expected);
    });

    it('counts all files on each page', async () => {
      for (const name of ['a', 'b', 'c', 'd']) await library.addFile(name);
      const { files, ...counts } = await list({}, undefined, { offset: 1, limit: 2 });
      expect([namesIn({ files }), counts]).toEqual([['b', 'c'], { total_count: 4, hidden_count: 0 }]);
      expect(await list({}, undefined, { offset: 9, limit: 2 })).toMatchObject({ files: [], total_count: 4 });
    });

    it('excludes hidden files, includes them, or contains only them', async () => {
      const [a] = [await library.addFile('a'), await library.addFile('b'), await library.addFile('c')];
      await fixture.ports.mediaFiles.edit(library.appId, a.id, { hidden: true });
      const listHidden = async (hidden: FileFilter['hidden']) => {
        const result = await list({ hidden });
        return [namesIn(result), result.total_count, result.hidden_count];
      };
      expect(await listHidden('left out')).toEqual([['b', 'c'], 2, 1]);
      expect(await listHidden('included')).toEqual([['a', 'b', 'c'], 3, 1]);
      expect(await listHidden('only')).toEqual([['a'], 1, 1]);
    });

    it('is filtered by folder, kind, size, time, alt text and usage', async () => {
      const usedFile = await library.addFile('a', { folder: pathOf('p') }, { bytes: 10 });
      await library.addUsage(usedFile);
      await library.addFile('b', { folder: pathOf('p/q') });
      const earlyTime = fixture.clock.now();
      fixture.clock.forward({ hours: 1 });
      await library.addImage('c.jpg', { alt: '' });
      await library.addImage('d.jpg', { alt: 'x' });
      await library.trash(await library.addFile('e'));
      expect(await names({ folder: pathOf('p') })).toEqual(['a']);
      expect(await names({ folder: pathOf('') })).toEqual(['c.jpg', 'd.jpg']);
      expect(await names({ kind: 'doc' })).toEqual(['a', 'b']);
      expect(await names({ minSize: 10 })).toEqual(['a', 'c.jpg', 'd.jpg']);
      expect(await names({ since: fixture.clock.now() })).toEqual(['c.jpg', 'd.jpg']);
      expect(await names({ noAlt: true })).toEqual(['c.jpg']);
      expect(await names({ unusedBefore: earlyTime })).toEqual(['b']);
      expect(await names({ unusedBefore: fixture.clock.now(), kind: 'image' })).toEqual(['c.jpg', 'd.jpg']);
    });

    it('is searched by names, texts and tags, ignoring case, accents and script', async () => {
      await library.addFile('Ципела 100%.txt', { tags: ['Летња', 'x_y'] });
      await library.addFile('b', { alt: 'Šešir', caption: 'two  spaces' });
      await library.addFile('c', { description: 'cipela', source: 'sesir' });
      for (const search of ['CIPELA', 'ципела', '100%', 'letnja', 'X_Y', 'txt letn']) {
        expect(await names({ search })).toEqual(['Ципела 100%.txt']);
      }
      for (const search of ['sesir', 'šEš', 'TWO spaces', 'sesir two']) expect(await names({ search })).toEqual(['b']);
      for (const search of ['', '  ', '%', '_z', 'c%a', '\\']) {
        expect(await names({ search })).toEqual(search === '%' ? ['Ципела 100%.txt'] : []);
      }
    });
  });

  describe('the list of Trash', () => {
    it('starts with the most recently deleted file', async () => {
      for (const name of ['a', 'b', 'c']) {
        await library.trash(await library.addFile(name));
        if (name === 'a') fixture.clock.forward({ hours: 1 });
      }
      await library.addFile('d');
      const { files, total_count: count } = await trash();
      expect([namesIn({ files }), count]).toEqual([['c', 'b', 'a'], 3]);
      expect(Object.keys(files[0]).slice(-3)).toEqual(['deleted_at', 'deleted_by', 'purge_at']);
      expect(namesIn(await trash(undefined, 'purge_at'))).toEqual(['a', 'b', 'c']);
      expect(await trash('B')).toMatchObject({ files: [{ filename: 'b', deleted_by: 'app' }], total_count: 1 });
      expect(await trash(undefined, undefined, { offset: 1, limit: 1 })).toMatchObject({ files: [{ filename: 'b' }] });
    });
  });

  describe('the summary of the library', () => {
    it('counts files by kind and bytes, and counts Trash separately', async () => {
      await library.addFile('a');
      await library.addImage('b.jpg');
      await library.trash(await library.addFile('c'));
      await library.upload();
      expect(JSON.parse(await queries().summary(library.appId))).toEqual({
        counts: { image: 1, vector: 0, video: 0, audio: 0, doc: 1 },
        total_count: 2,
        total_size: 1_005,
        renditions_size: 0,
        trash_count: 1,
        trash_size: 5,
      });
    });
  });

  describe('the key of a file', () => {
    it('identifies the file in its app only, even in Trash', async () => {
      const [file, other] = [await library.addImage('a.jpg'), await library.addImage('b.jpg')];
      const { mediaFileQueries } = fixture.ports;
      expect(await mediaFileQueries.findId(library.appId, file.key)).toBe(file.id);
      await library.trash(other);
      expect(await mediaFileQueries.findId(library.appId, other.key)).toBe(other.id);
      expect(await mediaFileQueries.findId(library.appId, `${file.key}x`)).toBeUndefined();
      expect(await mediaFileQueries.findId((await fixture.makeApp()).id, file.key)).toBeUndefined();
    });
  });

  describe('rendered PDFs', () => {
    const addPdf = async (name: string, pages: readonly number[]): Promise<StoredFile> => {
      const storedFile = await library.addFile(name, { alt: 'Žuti' }, { mime: 'application/pdf', kind: 'doc' });
      const file = (await fixture.ports.processedFileQueries.find(library.appId, storedFile.id)) as FileToProcess;
      const result = {
        main: undefined,
        width: null,
        height: null,
        renditions: [],
        replacesRenditions: true,
        pages: pages.map((page) => ({
          content: `_blobs/${storedFile.key}/${page}`,
          mime: 'image/webp',
          size: 3,
          width: 10 + page,
          height: 20,
          key: `${storedFile.key}@p${page}.webp`,
          page,
        })),
      };
      await fixture.ports.processedFiles.record(library.appId, file, result);
      await fixture.ports.processedFiles.list(library.appId, file, result);
      return storedFile;
    };
    const listRenders = async (name?: string) =>
      JSON.parse(await queries().pdfRenders(library.appId, name)) as ShownFile[];

    it('are sorted by name and have pages', async () => {
      await addPdf('b.pdf', []);
      const [c, a] = [await addPdf('c.pdf', [2, 1]), await addPdf('a.pdf', [1])];
      const renderedPdfs = await listRenders();
      expect(renderedPdfs.map(({ file }) => file.id)).toEqual([a.id, c.id]);
      expect(renderedPdfs[1]).toEqual({
        file: { id: c.id, filename: 'c.pdf', url: library.url(c.key) },
        pages: [1, 2].map((page) => ({
          page,
          url: library.url(`${c.key}@p${page}.webp`),
          width: 10 + page,
          height: 20,
        })),
      });
      expect(JSON.parse(await queries().summary(library.appId))).toMatchObject({ renditions_size: 0 });
    });

    it('are found by any part of their texts', async () => {
      const file = await addPdf('a.pdf', [1]);
      for (const name of ['A.P', 'zut', '']) expect(await listRenders(name)).toHaveLength(1);
      for (const name of ['b', '%']) expect(await listRenders(name)).toHaveLength(0);
      await library.trash(file);
      expect(await listRenders()).toEqual([]);
    });
  });
}
