import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { FILE_NAME_TAKEN, FILE_NOT_FOUND, type StoredFile } from '../index.js';
import { ANY_FILE, MediaFixture, MISSING_ID, pathOf, RULES, type GivenMediaLibrary } from './media-library.js';

/** Tests for every adapter of {@link FileMoves}. */
export function fileMovesContract(
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
  const move = (ids: readonly number[], folder: string) =>
    given.ports.fileMoves.move(library.appId, ids, pathOf(folder));
  const restore = (...files: readonly StoredFile[]) =>
    given.ports.fileMoves.restore(
      library.appId,
      files.map(({ id }) => id),
    );
  /** A file in Trash. */
  const trashed = async (name: string, folder = ''): Promise<StoredFile> => {
    const file = await library.file(name, { folder: pathOf(folder) });
    await library.trash(file);
    return file;
  };

  describe('moving files', () => {
    it('creates the folder and keeps keys', async () => {
      const file = await library.file('a');
      expect(await move([file.id, file.id], 'p/q')).toEqual([undefined, undefined]);
      expect(await library.shown(file.id)).toMatchObject({ folder: 'p/q', key: file.key });
      expect(await library.folders()).toEqual(['p', 'p/q']);
      expect(await move([file.id], '')).toEqual([undefined]);
      expect(await library.names()).toEqual(['a']);
    });

    it('refuses per file: missing, in Trash, being received, name taken', async () => {
      const [first, second] = [await library.file('a'), await library.file('a', { folder: pathOf('p') })];
      const third = await library.file('a', { folder: pathOf('q') });
      const gone = await trashed('b');
      const { receipt } = await library.received();
      const ids = [third.id, MISSING_ID, second.id, gone.id, first.id, receipt.id, Number.MAX_VALUE];
      expect(await move(ids, 'to')).toEqual([
        FILE_NAME_TAKEN,
        FILE_NOT_FOUND,
        FILE_NAME_TAKEN,
        FILE_NOT_FOUND,
        undefined,
        FILE_NOT_FOUND,
        FILE_NOT_FOUND,
      ]);
      expect([await library.names('to'), await library.names('p')]).toEqual([['a'], ['a']]);
    });

    it('leaves files in place, and creates no folder for missing ones', async () => {
      const file = await library.file('a');
      expect(await move([file.id], '')).toEqual([undefined]);
      expect(await move([MISSING_ID], 'p')).toEqual([FILE_NOT_FOUND]);
      expect(await library.folders()).toEqual([]);
    });

    it('does not find files of another app', async () => {
      const file = await library.file('a');
      library = await MediaFixture.of(given);
      expect(await move([file.id], 'p')).toEqual([FILE_NOT_FOUND]);
    });

    it('succeeds for one of several concurrent files of the same name', async () => {
      const made = await Promise.all(['p', 'q', 'r'].map((path) => library.file('a', { folder: pathOf(path) })));
      const outcomes = await Promise.all(made.map(({ id }) => move([id], 'to')));
      expect(outcomes.flat().filter((outcome) => outcome === undefined)).toHaveLength(1);
    });
  });

  describe('restoring files', () => {
    it('recreates their folders', async () => {
      const file = await library.file('a.txt', { folder: pathOf('p/q'), alt: 'Šal' });
      await given.ports.mediaFolders.remove(library.appId, pathOf('p'), RULES);
      expect(await restore(file)).toEqual([undefined]);
      expect(await library.folders()).toEqual(['p', 'p/q']);
      expect(await library.shown(file.id)).toMatchObject({ folder: 'p/q', filename: 'a.txt', key: file.key });
    });

    it('renames files whose name is taken', async () => {
      const gone = [await trashed('a.txt'), await trashed('a.txt'), await trashed('a.txt (2)')];
      await library.file('a.txt');
      await library.file('a.txt (3)');
      expect(await restore(...gone)).toEqual([undefined, undefined, undefined]);
      expect(await library.names()).toEqual(['a.txt', 'a.txt (2)', 'a.txt (2) (2)', 'a.txt (3)', 'a.txt (4)']);
      const filter = { ...ANY_FILE, search: '(2) (2)' };
      const text = await given.ports.mediaFileQueries.list(library.appId, filter, undefined, { offset: 0, limit: 9 });
      expect(JSON.parse(text)).toMatchObject({ files: [{ filename: 'a.txt (2) (2)' }], total_count: 1 });
    });

    it('leaves other files unchanged', async () => {
      const file = await library.file('a');
      const outcomes = await given.ports.fileMoves.restore(library.appId, [file.id, MISSING_ID]);
      expect(outcomes).toEqual([undefined, FILE_NOT_FOUND]);
      const gone = await trashed('b');
      library = await MediaFixture.of(given);
      expect(await restore(gone)).toEqual([FILE_NOT_FOUND]);
    });

    it('names recreated folders apart from siblings', async () => {
      const gone = [await trashed('a', 'p'), await trashed('b', 'p (2)')];
      for (const path of ['p', 'p (2)']) await given.ports.mediaFolders.remove(library.appId, pathOf(path), RULES);
      await given.ports.mediaFolders.add(library.appId, { path: pathOf('x'), name: 'p', description: null });
      expect(await restore(...gone)).toEqual([undefined, undefined]);
      const branch = await given.ports.mediaFolderQueries.branch(library.appId, pathOf(''));
      expect(branch.map(({ path, name }) => [path, name])).toEqual([
        ['p', 'p (3)'],
        ['p (2)', 'p (2)'],
        ['x', 'p'],
      ]);
    });

    it('names concurrent files of the same name apart', async () => {
      const gone = [await trashed('a'), await trashed('a'), await trashed('a')];
      await Promise.all(gone.map((file) => restore(file)));
      expect(await library.names()).toEqual(['a', 'a (2)', 'a (3)']);
    });
  });
}
