import type { State } from '../state.js';
import type { PageRecord, RenditionRecord } from './records.js';

/** Renditions and pages of all versions of a file. */
export function derivedOf(state: State, appId: number, fileId: number): (RenditionRecord | PageRecord)[] {
  return [...renditionsOf(state, appId, fileId), ...pagesOf(state, appId, fileId)];
}

export function renditionsOf(state: State, appId: number, fileId: number): RenditionRecord[] {
  return state.renditions.all(appId).filter((each) => each.file_id === fileId);
}

export function pagesOf(state: State, appId: number, fileId: number): PageRecord[] {
  return state.pages.all(appId).filter((each) => each.file_id === fileId);
}

export function derivedKeys(state: State, appId: number, fileId: number): string[] {
  return [...new Set(derivedOf(state, appId, fileId).map(({ key }) => key))];
}

export function dropDerived(
  state: State,
  appId: number,
  fileId: number,
  isDropped: (derived: RenditionRecord | PageRecord) => boolean = () => true,
): (RenditionRecord | PageRecord)[] {
  const dropped = derivedOf(state, appId, fileId).filter(isDropped);
  for (const derived of dropped) {
    if ('label' in derived) state.renditions.delete(appId, derived.id);
    else state.pages.delete(appId, derived.id);
  }
  return dropped;
}
