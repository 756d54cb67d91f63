import { nameSortKey } from '@back-office/database';
import { ancestry, isWithin, lastSegment, parentOf, TOP_LEVEL, type Folder, type FolderPath } from '@back-office/media';
import { sortBy } from '../lists.js';
import type { State } from '../state.js';
import { activeFiles } from './files.js';
import type { FolderRecord } from './records.js';

export function folderAt(state: State, appId: number, path: FolderPath): FolderRecord | undefined {
  return state.folders.find(appId, (folder) => folder.path === path);
}

export function hasFolder(state: State, appId: number, path: FolderPath): boolean {
  return path === TOP_LEVEL || folderAt(state, appId, path) !== undefined;
}

export function branchOf(state: State, appId: number, path: FolderPath): Folder[] {
  const files = activeFiles(state, appId).filter(({ hidden }) => !hidden);
  const folders = state.folders.all(appId).filter((folder) => isWithin(folder.path, path));
  return sortBy(folders, [({ name }) => nameSortKey(name), ({ id }) => id]).map((folder) => ({
    ...folder,
    files: files.filter((file) => file.folder === folder.path).length,
  }));
}

export function isFolderTaken(state: State, appId: number, { id, path, name }: FolderRecord): boolean {
  const parent = parentOf(path);
  const isConflict = (otherFolder: FolderRecord) =>
    otherFolder.path === path || (otherFolder.name === name && parentOf(otherFolder.path) === parent);
  const conflictingFolder = state.folders.find(
    appId,
    (otherFolder) => otherFolder.id !== id && isConflict(otherFolder),
  );
  return conflictingFolder !== undefined;
}

export function makeFolders(state: State, appId: number, paths: readonly FolderPath[]): void {
  const missingPaths = [...new Set(paths.flatMap(ancestry))].filter(
    (path) => folderAt(state, appId, path) === undefined,
  );
  for (const path of sortBy(missingPaths, [(missingPath) => missingPath])) {
    state.folders.insert(appId, { path, name: freeFolderName(state, appId, path, missingPaths), description: null });
  }
}

function freeFolderName(state: State, appId: number, path: FolderPath, newPaths: readonly FolderPath[]): string {
  const isSibling = (otherPath: FolderPath) => otherPath !== path && parentOf(otherPath) === parentOf(path);
  const siblings = state.folders.all(appId).filter((folder) => isSibling(folder.path));
  const takenNames = new Set(siblings.map(({ name }) => name));
  const segment = lastSegment(path);
  if (!takenNames.has(segment)) return segment;
  for (const newPath of newPaths.filter(isSibling)) takenNames.add(lastSegment(newPath));
  let number = 2;
  while (takenNames.has(`${segment} (${number})`)) number += 1;
  return `${segment} (${number})`;
}
