import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { FILE_NAME_TAKEN, FILE_NOT_FOUND, type StoredFile } from '../index.js';
import { ANY_FILE, AppLibrary, MISSING_ID, pathOf, RULES, type MediaLibraryFixture } from './media-library.js';

export function fileMovesContract(
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
  const move = (ids: readonly number[], folder: string) =>
    fixture.ports.fileMoves.move(library.appId, ids, pathOf(folder));
  const restore = (...files: readonly StoredFile[]) =>
    fixture.ports.fileMoves.restore(
      library.appId,
      files.map(({ id }) => id),
    );
  const addTrashedFile = async (name: string, folder = ''): Promise<StoredFile> => {
    const file = await library.addFile(name, { folder: pathOf(folder) });
    await library.trash(file);
    return file;
  };

  describe('move', () => {
    it('creates the folder and keeps the keys of files', async () => {
      const file = await library.addFile('a');
      expect(await move([file.id, file.id], 'p/q')).toEqual([undefined, undefined]);
      expect(await library.findFile(file.id)).toMatchObject({ folder: 'p/q', key: file.key });
      expect(await library.folderPaths()).toEqual(['p', 'p/q']);
      expect(await move([file.id], '')).toEqual([undefined]);
      expect(await library.fileNames()).toEqual(['a']);
    });

    it('refuses a file that is missing, in Trash or being received, and a name that is in use', async () => {
      const [first, second] = [await library.addFile('a'), await library.addFile('a', { folder: pathOf('p') })];
      const thirdFile = await library.addFile('a', { folder: pathOf('q') });
      const trashedFile = await addTrashedFile('b');
      const { receipt } = await library.upload();
      const ids = [thirdFile.id, MISSING_ID, second.id, trashedFile.id, first.id, receipt.id, Number.MAX_VALUE];
      expect(await move(ids, 'to')).toEqual([
        FILE_NAME_TAKEN,
        FILE_NOT_FOUND,
        FILE_NAME_TAKEN,
        FILE_NOT_FOUND,
        undefined,
        FILE_NOT_FOUND,
        FILE_NOT_FOUND,
      ]);
      expect([await library.fileNames('to'), await library.fileNames('p')]).toEqual([['a'], ['a']]);
    });

    it('keeps a file in its folder, and creates no folder for a missing file', async () => {
      const file = await library.addFile('a');
      expect(await move([file.id], '')).toEqual([undefined]);
      expect(await move([MISSING_ID], 'p')).toEqual([FILE_NOT_FOUND]);
      expect(await library.folderPaths()).toEqual([]);
    });

    it('does not find files of another app', async () => {
      const file = await library.addFile('a');
      library = await AppLibrary.create(fixture);
      expect(await move([file.id], 'p')).toEqual([FILE_NOT_FOUND]);
    });

    it('moves only one of several files with the same name when concurrent calls move them', async () => {
      const files = await Promise.all(['p', 'q', 'r'].map((path) => library.addFile('a', { folder: pathOf(path) })));
      const results = await Promise.all(files.map(({ id }) => move([id], 'to')));
      expect(results.flat().filter((outcome) => outcome === undefined)).toHaveLength(1);
    });
  });

  describe('restore', () => {
    it('recreates the folders of files', async () => {
      const file = await library.addFile('a.txt', { folder: pathOf('p/q'), alt: 'Šal' });
      await fixture.ports.mediaFolders.remove(library.appId, pathOf('p'), RULES);
      expect(await restore(file)).toEqual([undefined]);
      expect(await library.folderPaths()).toEqual(['p', 'p/q']);
      expect(await library.findFile(file.id)).toMatchObject({ folder: 'p/q', filename: 'a.txt', key: file.key });
    });

    it('renames files whose names are in use', async () => {
      const trashedFiles = [
        await addTrashedFile('a.txt'),
        await addTrashedFile('a.txt'),
        await addTrashedFile('a.txt (2)'),
      ];
      await library.addFile('a.txt');
      await library.addFile('a.txt (3)');
      expect(await restore(...trashedFiles)).toEqual([undefined, undefined, undefined]);
      expect(await library.fileNames()).toEqual(['a.txt', 'a.txt (2)', 'a.txt (2) (2)', 'a.txt (3)', 'a.txt (4)']);
      const filter = { ...ANY_FILE, search: '(2) (2)' };
      const page = { offset: 0, limit: 9 };
      const { json } = await fixture.ports.mediaFileQueries.list(library.appId, filter, undefined, page);
      expect(JSON.parse(json)).toMatchObject({ files: [{ filename: 'a.txt (2) (2)' }], total_count: 1 });
    });

    it('keeps files outside Trash unchanged', async () => {
      const file = await library.addFile('a');
      const results = await fixture.ports.fileMoves.restore(library.appId, [file.id, MISSING_ID]);
      expect(results).toEqual([undefined, FILE_NOT_FOUND]);
      const trashedFile = await addTrashedFile('b');
      library = await AppLibrary.create(fixture);
      expect(await restore(trashedFile)).toEqual([FILE_NOT_FOUND]);
    });

    it('gives a recreated folder a name that no folder beside it has', async () => {
      const trashedFiles = [await addTrashedFile('a', 'p'), await addTrashedFile('b', 'p (2)')];
      for (const path of ['p', 'p (2)']) await fixture.ports.mediaFolders.remove(library.appId, pathOf(path), RULES);
      await fixture.ports.mediaFolders.add(library.appId, { path: pathOf('x'), name: 'p', description: null });
      expect(await restore(...trashedFiles)).toEqual([undefined, undefined]);
      const branch = await fixture.ports.mediaFolderQueries.branch(library.appId, pathOf(''));
      expect(branch.map(({ path, name }) => [path, name])).toEqual([
        ['x', 'p'],
        ['p (2)', 'p (2)'],
        ['p', 'p (3)'],
      ]);
    });

    it('gives different names to files with the same name that concurrent calls restore', async () => {
      const trashedFiles = [await addTrashedFile('a'), await addTrashedFile('a'), await addTrashedFile('a')];
      await Promise.all(trashedFiles.map((file) => restore(file)));
      expect(await library.fileNames()).toEqual(['a', 'a (2)', 'a (3)']);
    });
  });
}
