import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import {
  FILE_REFERENCED,
  FOLDER_NOT_FOUND,
  FOLDER_TAKEN,
  INVALID_PARENT,
  PARENT_NOT_FOUND,
  type Folder,
  type FolderEdit,
  type StoredFile,
} from '../index.js';
import { MediaFixture, MISSING_ID, pathOf, RULES, type GivenMediaLibrary } from './media-library.js';

/** Tests for every adapter of {@link MediaFolders} and its queries. */
export function mediaFoldersContract(
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
  const folders = () => given.ports.mediaFolders;
  const tryAdd = (path: string, name = path.split('/').at(-1) ?? '') =>
    folders().add(library.appId, { path: pathOf(path), name, description: null });
  const add = async (path: string, name?: string): Promise<Folder> => (await tryAdd(path, name)) as Folder;
  const edit = (id: number, change: FolderEdit) => folders().edit(library.appId, id, change);
  const branch = (path = '') => given.ports.mediaFolderQueries.branch(library.appId, pathOf(path));

  describe('add', () => {
    it('returns the folder as it is listed', async () => {
      const made = await folders().add(library.appId, { path: pathOf('p'), name: 'Papers', description: 'Words' });
      expect(made).toEqual({ id: expect.any(Number), path: 'p', name: 'Papers', description: 'Words', files: 0 });
      expect(await branch()).toEqual([made]);
    });

    it('refuses the top level, a missing parent, a taken path or name', async () => {
      await add('p');
      await add('p/q', 'Queue');
      expect(await tryAdd('')).toEqual({ refused: "can't be blank", field: 'key' });
      expect(await tryAdd('x/y')).toEqual(PARENT_NOT_FOUND);
      expect(await tryAdd('p', 'other')).toEqual(FOLDER_TAKEN);
      expect(await tryAdd('p/r', 'Queue')).toEqual(FOLDER_TAKEN);
      expect(await tryAdd('r', 'Queue')).toMatchObject({ path: 'r' });
    });

    it('does not affect another app', async () => {
      await add('p');
      library = await MediaFixture.of(given);
      expect(await branch()).toEqual([]);
      expect(await tryAdd('p/q')).toEqual(PARENT_NOT_FOUND);
      expect(await tryAdd('p')).toMatchObject({ path: 'p' });
    });

    it('succeeds for one of several concurrent calls', async () => {
      const made = await Promise.all(Array.from({ length: 5 }, () => tryAdd('p')));
      expect(made.filter((each) => 'refused' in each)).toEqual(Array(4).fill(FOLDER_TAKEN));
    });
  });

  describe('a branch', () => {
    it('is sorted by path in code point order, with counts of visible files', async () => {
      for (const path of ['b', 'a', 'a/c', 'ab', 'B', 'a b', 'č', '\u{1F600}', '\u{FF21}']) await add(path);
      await library.file('1', { folder: pathOf('a/c') });
      const hidden = await library.file('2', { folder: pathOf('a/c') });
      await library.trash(await library.file('3', { folder: pathOf('a/c') }));
      await given.ports.mediaFiles.edit(library.appId, hidden.id, { hidden: true });
      expect((await branch()).map(({ path, files }) => [path, files])).toEqual([
        ...(['B', 'a', 'a b'] as const).map((path) => [path, 0]),
        ['a/c', 1],
        ...(['ab', 'b', 'č', '\u{FF21}', '\u{1F600}'] as const).map((path) => [path, 0]),
      ]);
      expect((await branch('a')).map(({ path }) => path)).toEqual(['a', 'a/c']);
      expect(await branch('x')).toEqual([]);
    });

    it('takes pattern characters literally', async () => {
      for (const path of ['a_', 'a_/x', 'ab', 'ab/x', 'a%', 'a%/y']) await add(path);
      expect((await branch('a_')).map(({ path }) => path)).toEqual(['a_', 'a_/x']);
      expect((await branch('a%')).map(({ path }) => path)).toEqual(['a%', 'a%/y']);
    });
  });

  describe('a folder created for a file', () => {
    it('is named by its segment, numbered beside a namesake', async () => {
      await add('x', 'p');
      await add('y', 'p (2)');
      await library.file('a', { folder: pathOf('p/q') });
      expect((await branch('p')).map(({ name }) => name)).toEqual(['p (3)', 'q']);
      expect((await branch('p')).map(({ description }) => description)).toEqual([null, null]);
    });
  });

  describe('edit', () => {
    it('renames and describes', async () => {
      const { id } = await add('p');
      const changed = { id, path: 'p', name: 'New', description: 'Words', files: 0 };
      expect(await edit(id, { name: 'New', description: 'Words' })).toEqual({ path: 'p', branch: [changed] });
      expect(await edit(id, {})).toEqual({ path: 'p', branch: [changed] });
      expect(await edit(id, { description: null })).toMatchObject({ branch: [{ name: 'New', description: null }] });
    });

    it('moves descendants and trashed files, and keeps keys', async () => {
      await add('p');
      const { id } = await add('p/q');
      await add('to');
      const file = await library.file('a', { folder: pathOf('p/q/r') });
      const trashed = await library.file('b', { folder: pathOf('p/q/s') });
      await library.trash(trashed);
      const outside = await library.file('c', { folder: pathOf('p') });
      const moved = await edit(id, { parent: pathOf('to'), name: 'Q' });
      expect(moved).toMatchObject({ path: 'to/q', branch: [{ name: 'Q' }, { path: 'to/q/r', files: 1 }, {}] });
      expect(await library.folders()).toEqual(['p', 'to', 'to/q', 'to/q/r', 'to/q/s']);
      expect(await library.shown(file.id)).toMatchObject({ folder: 'to/q/r', key: file.key });
      expect(await library.shown(trashed.id)).toMatchObject({ folder: 'to/q/s' });
      expect(await library.shown(outside.id)).toMatchObject({ folder: 'p' });
      expect(await edit(id, { parent: pathOf('') })).toMatchObject({ path: 'q' });
      expect(await library.folders('q')).toEqual(['q', 'q/r', 'q/s']);
    });

    it('refuses missing, inner and taken targets, and changes nothing', async () => {
      const { id } = await add('p');
      await add('p/q');
      await add('to');
      await add('to/p', 'other');
      await add('two');
      await add('two/x', 'p');
      const unchanged = await branch();
      expect(await edit(MISSING_ID, { name: 'x' })).toEqual(FOLDER_NOT_FOUND);
      expect(await edit(id, { parent: pathOf('x') })).toEqual(PARENT_NOT_FOUND);
      for (const parent of ['p', 'p/q']) expect(await edit(id, { parent: pathOf(parent) })).toEqual(INVALID_PARENT);
      for (const parent of ['to', 'two']) expect(await edit(id, { parent: pathOf(parent) })).toEqual(FOLDER_TAKEN);
      expect(await edit(id, { parent: pathOf('two'), name: 'free' })).toEqual(FOLDER_TAKEN);
      expect(await edit(id, { name: 'two' })).toEqual(FOLDER_TAKEN);
      expect(await branch()).toEqual(unchanged);
    });

    it('refuses a move onto a folder with a file of the same name', async () => {
      const { id } = await add('p');
      await add('to');
      await add('to/p', 'Other');
      for (const folder of ['p', 'to/p']) await library.file('same', { folder: pathOf(folder) });
      expect(await edit(id, { parent: pathOf('to') })).toEqual(FOLDER_TAKEN);
    });

    it('does not find folders of another app', async () => {
      const { id } = await add('p');
      library = await MediaFixture.of(given);
      expect(await edit(id, { name: 'x' })).toEqual(FOLDER_NOT_FOUND);
    });

    it('refuses paths that become too long', async () => {
      const long = (letter: string, count: number) => Array(count).fill(letter.repeat(200)).join('/');
      await library.file('a', { folder: pathOf(`p/${long('b', 4)}`) });
      await library.file('b', { folder: pathOf(long('c', 2)) });
      const { id } = (await branch('p'))[0] as Folder;
      const refused = { refused: 'is invalid', field: 'parent_folder' };
      expect(await edit(id, { parent: pathOf(long('c', 2)) })).toEqual(refused);
      expect(await edit(id, { parent: pathOf(long('c', 1)) })).toMatchObject({ path: `${long('c', 1)}/p` });
    });

    it('refuses only by the paths below it, also those of files in Trash', async () => {
      const long = (letter: string, count: number) => Array(count).fill(letter.repeat(200)).join('/');
      await library.file('a', { folder: pathOf(long('b', 5)) });
      await library.file('b', { folder: pathOf(long('c', 2)) });
      const short = await add('p');
      const trashing = await add('q');
      await library.trash(await library.file('c', { folder: pathOf(`q/${long('d', 4)}`) }));
      await folders().remove(library.appId, pathOf(`q/${long('d', 1)}`), RULES);
      const refused = { refused: 'is invalid', field: 'parent_folder' };
      expect(await edit(trashing.id, { parent: pathOf(long('c', 2)) })).toEqual(refused);
      expect(await edit(short.id, { parent: pathOf(long('c', 2)) })).toMatchObject({ path: `${long('c', 2)}/p` });
    });
  });

  describe('remove', () => {
    const remove = (path: string, rules = RULES as { trashRetentionDays: number; refusesDeleteInUse: boolean }) =>
      folders().remove(library.appId, pathOf(path), rules);
    const fill = async (): Promise<StoredFile> => {
      const file = await library.file('a', { folder: pathOf('p/q') });
      await library.file('b', { folder: pathOf('p') });
      await library.trash(await library.file('c', { folder: pathOf('p') }));
      await library.file('d', { folder: pathOf('pq') });
      return file;
    };

    it('trashes its files and returns their number', async () => {
      const { id } = await fill();
      expect(await remove('p')).toEqual({ deletedFiles: 2, deletedFolders: 2 });
      expect(await library.folders()).toEqual(['pq']);
      const page = { offset: 0, limit: 10 };
      const trash = JSON.parse(await given.ports.mediaFileQueries.trash(library.appId, undefined, undefined, page));
      const moment = (date: Date) => date.toISOString().slice(0, 19);
      const purge = new Date(given.clock.now().getTime() + 30 * 86_400_000);
      expect(trash.total_count).toBe(3);
      expect(trash.files.find((file: { id: number }) => file.id === id)).toMatchObject({
        deleted_at: moment(given.clock.now()),
        deleted_by: 'app',
        purge_at: moment(purge),
      });
    });

    it('refuses files in use that the rules keep', async () => {
      await library.use(await fill());
      expect(await remove('p', { ...RULES, refusesDeleteInUse: true })).toEqual(FILE_REFERENCED);
      expect(await library.folders()).toEqual(['p', 'p/q', 'pq']);
      expect(await remove('p')).toEqual({ deletedFiles: 2, deletedFolders: 2 });
    });

    eachCase(it, ['', 'x', 'p/x'])('finds no folder at "%s"', async (path) => {
      await fill();
      expect(await remove(path)).toEqual(FOLDER_NOT_FOUND);
    });

    it('succeeds for one of several concurrent calls', async () => {
      await fill();
      const removed = await Promise.all([remove('p'), remove('p'), remove('p')]);
      expect(removed.filter((each) => 'refused' in each)).toEqual(Array(2).fill(FOLDER_NOT_FOUND));
    });
  });
}
