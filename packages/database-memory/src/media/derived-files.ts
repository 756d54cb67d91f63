import type { WithdrawnKey } from '@back-office/media';
import type { State } from '../state.js';
import { fileOf } from './files.js';
import type { PageRecord, RenditionRecord } from './records.js';

export function derivedOf(state: State, appId: number, fileId: number): (RenditionRecord | PageRecord)[] {
  return [...renditionsOf(state, appId, fileId), ...pagesOf(state, appId, fileId)];
}

export function renditionsOf(state: State, appId: number, fileId: number): RenditionRecord[] {
  return state.renditions.all(appId).filter((rendition) => rendition.file_id === fileId);
}

export function pagesOf(state: State, appId: number, fileId: number): PageRecord[] {
  return state.pages.all(appId).filter((page) => page.file_id === fileId);
}

export function publicKeysOf(state: State, appId: number, fileIds: readonly number[]): WithdrawnKey[] {
  return fileIds.flatMap((fileId) => {
    const file = fileOf(state, appId, fileId);
    const versions = state.fileVersions.all(appId).filter((version) => version.file_id === fileId);
    const objects = [...(file ? [file] : []), ...derivedOf(state, appId, fileId)];
    return [
      ...objects.map(({ key, version }) => ({ key, version })),
      ...versions.map(({ key }) => ({ key, version: 1 })),
    ];
  });
}

export function derivedKeys(state: State, appId: number, fileId: number): string[] {
  return [...new Set(derivedOf(state, appId, fileId).map(({ key }) => key))];
}

export function dropDerivedFiles(
  state: State,
  appId: number,
  fileId: number,
  isDropped: (derived: RenditionRecord | PageRecord) => boolean = () => true,
): (RenditionRecord | PageRecord)[] {
  const droppedFiles = derivedOf(state, appId, fileId).filter(isDropped);
  for (const derived of droppedFiles) {
    if ('label' in derived) state.renditions.delete(appId, derived.id);
    else state.pages.delete(appId, derived.id);
  }
  return droppedFiles;
}
