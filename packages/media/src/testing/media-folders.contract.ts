import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import {
  type DeletionRules,
  FILE_REFERENCED,
  FOLDER_NOT_FOUND,
  FOLDER_TAKEN,
  INVALID_PARENT,
  JOBS,
  PARENT_NOT_FOUND,
  type Folder,
  type FolderEdit,
  type StoredFile,
  type TidyPayload,
} from '../index.js';
import { AppLibrary, MISSING_ID, pathOf, RULES, type MediaLibraryFixture } from './media-library.js';

export function mediaFoldersContract(
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
  const folders = () => fixture.ports.mediaFolders;
  const tryAdd = (path: string, name = path.split('/').at(-1) ?? '') =>
    folders().add(library.appId, { path: pathOf(path), name, description: null });
  const add = async (path: string, name?: string): Promise<Folder> => (await tryAdd(path, name)) as Folder;
  const edit = (id: number, change: FolderEdit) => folders().edit(library.appId, id, change);
  const branch = (path = '') => fixture.ports.mediaFolderQueries.branch(library.appId, pathOf(path));

  describe('add', () => {
    it('returns the folder as the list shows it', async () => {
      const folder = await folders().add(library.appId, { path: pathOf('p'), name: 'Papers', description: 'Words' });
      expect(folder).toEqual({ id: expect.any(Number), path: 'p', name: 'Papers', description: 'Words', files: 0 });
      expect(await branch()).toEqual([folder]);
    });

    it('refuses the top level, a missing parent, and a path or name that is in use', async () => {
      await add('p');
      await add('p/q', 'Queue');
      expect(await tryAdd('')).toEqual({ refused: "can't be blank", field: 'key' });
      expect(await tryAdd('x/y')).toEqual(PARENT_NOT_FOUND);
      expect(await tryAdd('p', 'other')).toEqual(FOLDER_TAKEN);
      expect(await tryAdd('p/r', 'Queue')).toEqual(FOLDER_TAKEN);
      expect(await tryAdd('r', 'Queue')).toMatchObject({ path: 'r' });
    });

    it('adds the folder in its app only', async () => {
      await add('p');
      library = await AppLibrary.create(fixture);
      expect(await branch()).toEqual([]);
      expect(await tryAdd('p/q')).toEqual(PARENT_NOT_FOUND);
      expect(await tryAdd('p')).toMatchObject({ path: 'p' });
    });

    it('creates the folder in only one of several concurrent calls', async () => {
      const results = await Promise.all(Array.from({ length: 5 }, () => tryAdd('p')));
      expect(results.filter((result) => 'refused' in result)).toEqual(Array(4).fill(FOLDER_TAKEN));
    });
  });

  describe('the list of a folder and its descendants', () => {
    it('is sorted by folded name, with counts of visible files', async () => {
      for (const path of ['b', 'a', 'a/c', 'ab', 'B', 'a b', 'č', '\u{1F600}', '\u{FF21}']) await add(path);
      await library.addFile('1', { folder: pathOf('a/c') });
      const hiddenFile = await library.addFile('2', { folder: pathOf('a/c') });
      await library.trash(await library.addFile('3', { folder: pathOf('a/c') }));
      await fixture.ports.mediaFiles.edit(library.appId, hiddenFile.id, { hidden: true });
      expect((await branch()).map(({ path, files }) => [path, files])).toEqual([
        ...(['a', 'a b', 'ab', 'B', 'b'] as const).map((path) => [path, 0]),
        ['a/c', 1],
        ...(['č', '\u{FF21}', '\u{1F600}'] as const).map((path) => [path, 0]),
      ]);
      expect((await branch('a')).map(({ path }) => path)).toEqual(['a', 'a/c']);
      expect(await branch('x')).toEqual([]);
    });

    it('treats wildcards literally', async () => {
      for (const path of ['a_', 'a_/x', 'ab', 'ab/x', 'a%', 'a%/y']) await add(path);
      expect((await branch('a_')).map(({ path }) => path)).toEqual(['a_', 'a_/x']);
      expect((await branch('a%')).map(({ path }) => path)).toEqual(['a%', 'a%/y']);
    });
  });

  describe('a folder created for a file', () => {
    it('has the name of its path segment, with a number when the name is in use', async () => {
      await add('x', 'p');
      await add('y', 'p (2)');
      await library.addFile('a', { folder: pathOf('p/q') });
      expect((await branch('p')).map(({ name }) => name)).toEqual(['p (3)', 'q']);
      expect((await branch('p')).map(({ description }) => description)).toEqual([null, null]);
    });

    it('may have the same name as a folder with another parent', async () => {
      await library.addFile('a', { folder: pathOf('p/q') });
      await library.addFile('b', { folder: pathOf('r/q') });
      expect((await branch('r')).map(({ name }) => name)).toEqual(['q', 'r']);
    });
  });

  describe('edit', () => {
    it('changes the name and the description', async () => {
      const { id } = await add('p');
      const changedFolder = { id, path: 'p', name: 'New', description: 'Words', files: 0 };
      expect(await edit(id, { name: 'New', description: 'Words' })).toEqual({ path: 'p', branch: [changedFolder] });
      expect(await edit(id, {})).toEqual({ path: 'p', branch: [changedFolder] });
      expect(await edit(id, { description: null })).toMatchObject({ branch: [{ name: 'New', description: null }] });
    });

    it('moves descendants, and also files in Trash, and keeps all keys', async () => {
      await add('p');
      const { id } = await add('p/q');
      await add('to');
      const file = await library.addFile('a', { folder: pathOf('p/q/r') });
      const trashedFile = await library.addFile('b', { folder: pathOf('p/q/s') });
      await library.trash(trashedFile);
      const fileOutside = await library.addFile('c', { folder: pathOf('p') });
      const movedFolder = await edit(id, { parent: pathOf('to'), name: 'Q' });
      expect(movedFolder).toMatchObject({ path: 'to/q', branch: [{ name: 'Q' }, { path: 'to/q/r', files: 1 }, {}] });
      expect(await library.folderPaths()).toEqual(['p', 'to', 'to/q', 'to/q/r', 'to/q/s']);
      expect(await library.findFile(file.id)).toMatchObject({ folder: 'to/q/r', key: file.key });
      expect(await library.findFile(trashedFile.id)).toMatchObject({ folder: 'to/q/s' });
      expect(await library.findFile(fileOutside.id)).toMatchObject({ folder: 'p' });
      expect(await edit(id, { parent: pathOf('') })).toMatchObject({ path: 'q' });
      expect(await library.folderPaths('q')).toEqual(['q', 'q/r', 'q/s']);
    });

    it('refuses a new location that is missing, in use or inside the folder, and changes nothing', async () => {
      const { id } = await add('p');
      await add('p/q');
      await add('to');
      await add('to/p', 'other');
      await add('two');
      await add('two/x', 'p');
      const branchBefore = await branch();
      expect(await edit(MISSING_ID, { name: 'x' })).toEqual(FOLDER_NOT_FOUND);
      expect(await edit(id, { parent: pathOf('x') })).toEqual(PARENT_NOT_FOUND);
      for (const parent of ['p', 'p/q']) expect(await edit(id, { parent: pathOf(parent) })).toEqual(INVALID_PARENT);
      for (const parent of ['to', 'two']) expect(await edit(id, { parent: pathOf(parent) })).toEqual(FOLDER_TAKEN);
      expect(await edit(id, { parent: pathOf('two'), name: 'free' })).toEqual(FOLDER_TAKEN);
      expect(await edit(id, { name: 'two' })).toEqual(FOLDER_TAKEN);
      expect(await branch()).toEqual(branchBefore);
    });

    it('refuses a move onto a folder with a file of the same name', async () => {
      const { id } = await add('p');
      await add('to');
      await add('to/p', 'Other');
      for (const folder of ['p', 'to/p']) await library.addFile('same', { folder: pathOf(folder) });
      expect(await edit(id, { parent: pathOf('to') })).toEqual(FOLDER_TAKEN);
    });

    it('does not find folders of another app', async () => {
      const { id } = await add('p');
      library = await AppLibrary.create(fixture);
      expect(await edit(id, { name: 'x' })).toEqual(FOLDER_NOT_FOUND);
    });

    it('refuses paths that become too long', async () => {
      const longPath = (letter: string, count: number) => Array(count).fill(letter.repeat(200)).join('/');
      await library.addFile('a', { folder: pathOf(`p/${longPath('b', 4)}`) });
      await library.addFile('b', { folder: pathOf(longPath('c', 2)) });
      const { id } = (await branch('p')).find(({ path }) => path === 'p') as Folder;
      const refusal = { refused: 'is invalid', field: 'parent_folder' };
      expect(await edit(id, { parent: pathOf(longPath('c', 2)) })).toEqual(refusal);
      expect(await edit(id, { parent: pathOf(longPath('c', 1)) })).toMatchObject({ path: `${longPath('c', 1)}/p` });
    });

    it('checks the length only of paths below the folder, including those of files in Trash', async () => {
      const longPath = (letter: string, count: number) => Array(count).fill(letter.repeat(200)).join('/');
      await library.addFile('a', { folder: pathOf(longPath('b', 5)) });
      await library.addFile('b', { folder: pathOf(longPath('c', 2)) });
      const shortFolder = await add('p');
      const trashedFolder = await add('q');
      await library.trash(await library.addFile('c', { folder: pathOf(`q/${longPath('d', 4)}`) }));
      await folders().remove(library.appId, pathOf(`q/${longPath('d', 1)}`), RULES);
      const refusal = { refused: 'is invalid', field: 'parent_folder' };
      expect(await edit(trashedFolder.id, { parent: pathOf(longPath('c', 2)) })).toEqual(refusal);
      expect(await edit(shortFolder.id, { parent: pathOf(longPath('c', 2)) })).toMatchObject({
        path: `${longPath('c', 2)}/p`,
      });
    });
  });

  describe('remove', () => {
    const remove = (path: string, rules: DeletionRules = RULES) => folders().remove(library.appId, pathOf(path), rules);
    const addFiles = async (): Promise<StoredFile> => {
      const file = await library.addFile('a', { folder: pathOf('p/q') });
      await library.addFile('b', { folder: pathOf('p') });
      await library.trash(await library.addFile('c', { folder: pathOf('p') }));
      await library.addFile('d', { folder: pathOf('pq') });
      return file;
    };

    it('moves the files of the folder and its descendants to Trash, and returns their number', async () => {
      const { id } = await addFiles();
      expect(await remove('p')).toEqual({ deletedFiles: 2, deletedFolders: 2 });
      expect(await library.folderPaths()).toEqual(['pq']);
      const page = { offset: 0, limit: 10 };
      const { json } = await fixture.ports.mediaFileQueries.trash(library.appId, undefined, undefined, page);
      const trash = JSON.parse(json);
      const formatTime = (date: Date) => date.toISOString().slice(0, 19);
      const purgeTime = new Date(fixture.clock.now().getTime() + 30 * 86_400_000);
      expect(trash.total_count).toBe(3);
      expect(trash.files.find((file: { id: number }) => file.id === id)).toMatchObject({
        deleted_at: formatTime(fixture.clock.now()),
        deleted_by: 'app',
        purge_at: formatTime(purgeTime),
      });
    });

    it('queues the removal of the public copies if the app does not serve its Trash', async () => {
      const { key } = await addFiles();
      await library.runJobs(JOBS.tidy);
      await remove('p', { ...RULES, servesTrash: false });
      const jobs = (await library.runJobPayloads(JOBS.tidy)) as TidyPayload[];
      expect(jobs.flatMap((job) => job.withdrawn ?? [])).toContainEqual({ key, version: 1 });
    });

    it('refuses a folder with used files if the rules of the app protect used files', async () => {
      await library.addUsage(await addFiles());
      expect(await remove('p', { ...RULES, refusesDeleteInUse: true })).toEqual(FILE_REFERENCED);
      expect(await library.folderPaths()).toEqual(['p', 'p/q', 'pq']);
      expect(await remove('p')).toEqual({ deletedFiles: 2, deletedFolders: 2 });
    });

    eachCase(it, ['', 'x', 'p/x'])('finds no folder at "%s"', async (path) => {
      await addFiles();
      expect(await remove(path)).toEqual(FOLDER_NOT_FOUND);
    });

    it('removes the folder in only one of several concurrent calls', async () => {
      await addFiles();
      const results = await Promise.all([remove('p'), remove('p'), remove('p')]);
      expect(results.filter((result) => 'refused' in result)).toEqual(Array(2).fill(FOLDER_NOT_FOUND));
    });
  });
}
