import type { WithdrawnKey } from '@back-office/media';
import type { State } from '../state.js';
import { fileOf } from './files.js';
import type { PageRecord, RenditionRecord, RetiredRenditionRecord } from './records.js';

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
      ...retiredOf(state, appId, fileId).map(({ key }) => ({ key, version: file?.version ?? 1 })),
      ...versions.map(({ key }) => ({ key, version: 1 })),
    ];
  });
}

export function derivedKeys(state: State, appId: number, fileId: number): string[] {
  const objects = [...derivedOf(state, appId, fileId), ...retiredOf(state, appId, fileId)];
  return [...new Set(objects.map(({ key }) => key))];
}

export function dropDerivedFiles(
  state: State,
  appId: number,
  fileId: number,
  isDropped: (derived: RenditionRecord | PageRecord) => boolean = () => true,
): (RenditionRecord | PageRecord)[] {
  const droppedFiles = derivedOf(state, appId, fileId).filter(isDropped);
  for (const derived of droppedFiles) {
    if ('label' in derived) dropRendition(state, appId, derived);
    else state.pages.delete(appId, derived.id);
  }
  return droppedFiles;
}

function dropRendition(state: State, appId: number, { id, file_id, label, key, listed }: RenditionRecord): void {
  state.renditions.delete(appId, id);
  const isRetired = retiredOf(state, appId, file_id).some((retired) => retired.label === label);
  if (listed && !isRetired) state.retiredRenditions.insert(appId, { file_id, label, key });
}

export function retiredOf(state: State, appId: number, fileId: number): RetiredRenditionRecord[] {
  return state.retiredRenditions.all(appId).filter((retired) => retired.file_id === fileId);
}

/** Returns the widths of renditions that were listed, but do not exist for this version of the file. */
export function keptWidths(state: State, appId: number, fileId: number, version: number): number[] {
  const renditions = renditionsOf(state, appId, fileId);
  const current = new Set(renditions.filter((rendition) => rendition.version === version).map(({ label }) => label));
  const offered = [...renditions.filter(({ listed }) => listed), ...retiredOf(state, appId, fileId)];
  const labels = new Set(offered.map(({ label }) => label).filter((label) => !current.has(label)));
  return [...labels].map((label) => Number(label.slice(1))).sort((a, b) => a - b);
}
