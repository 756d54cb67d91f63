import { ancestry, isWithin, lastSegment, parentOf, TOP_LEVEL, type Folder, type FolderPath } from '@back-office/media';
import { sortedBy } from '../lists.js';
import type { State } from '../state.js';
import { activeFiles } from './files.js';
import type { FolderRecord } from './records.js';

export function folderAt(state: State, appId: number, path: FolderPath): FolderRecord | undefined {
  return state.folders.find(appId, (folder) => folder.path === path);
}

/** Whether the folder exists; the top level always does. */
export function hasFolder(state: State, appId: number, path: FolderPath): boolean {
  return path === TOP_LEVEL || folderAt(state, appId, path) !== undefined;
}

export function branchOf(state: State, appId: number, path: FolderPath): Folder[] {
  const files = activeFiles(state, appId).filter(({ hidden }) => !hidden);
  const folders = state.folders.all(appId).filter((folder) => isWithin(folder.path, path));
  return sortedBy(folders, [(folder) => folder.path]).map((folder) => ({
    ...folder,
    files: files.filter((file) => file.folder === folder.path).length,
  }));
}

/** Whether another folder has this path or, with the same parent, this name. */
export function isFolderTaken(state: State, appId: number, { id, path, name }: FolderRecord): boolean {
  const parent = parentOf(path);
  const isSame = (other: FolderRecord) =>
    other.path === path || (other.name === name && parentOf(other.path) === parent);
  const found = state.folders.find(appId, (other) => other.id !== id && isSame(other));
  return found !== undefined;
}

/** Makes missing folders of the paths, named after their segments. */
export function makeFolders(state: State, appId: number, paths: readonly FolderPath[]): void {
  const missing = [...new Set(paths.flatMap(ancestry))].filter((path) => folderAt(state, appId, path) === undefined);
  for (const path of sortedBy(missing, [(each) => each])) {
    state.folders.insert(appId, { path, name: freeFolderName(state, appId, path, missing), description: null });
  }
}

/** The last segment, with a number if an existing or new sibling has that name. */
function freeFolderName(state: State, appId: number, path: FolderPath, made: readonly FolderPath[]): string {
  const isSibling = (other: FolderPath) => other !== path && parentOf(other) === parentOf(path);
  const siblings = state.folders.all(appId).filter((folder) => isSibling(folder.path));
  const taken = new Set(siblings.map(({ name }) => name));
  const wanted = lastSegment(path);
  if (!taken.has(wanted)) return wanted;
  for (const other of made.filter(isSibling)) taken.add(lastSegment(other));
  let number = 2;
  while (taken.has(`${wanted} (${number})`)) number += 1;
  return `${wanted} (${number})`;
}
