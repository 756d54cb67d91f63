import type { UploadPreset } from './presets.js';

/** An absent field keeps its value; in a new preset, it takes the value of the default preset. */
export type PresetChange = Partial<UploadPreset> & { readonly name: string; readonly isDefault?: boolean };

export interface MergedPresets {
  readonly changes: readonly PresetChange[];
  readonly newDefault: string | undefined;
}

/**
 * Merges changes with the same name; the fields of a later change override those of an earlier one. If several set the
 * default, the last one wins.
 */
export function mergePresets(requestedChanges: readonly PresetChange[]): MergedPresets {
  const byName = new Map<string, PresetChange>();
  for (const change of requestedChanges) byName.set(change.name, { ...byName.get(change.name), ...change });
  const changes = [...byName.values()];
  return { changes, newDefault: changes.filter(({ isDefault }) => isDefault === true).at(-1)?.name };
}

/** Exactly one preset per app is the default. */
export interface UploadPresets {
  /**
   * Upserts presets by name in one transaction. Merges changes with the same name like {@link mergePresets}. Returns
   * the presets in the order of the changes, as JSON text in the format of the API.
   */
  put(appId: number, changes: readonly PresetChange[]): Promise<string>;
}

export interface UploadPresetQueries {
  /** Returns all presets sorted by name, as JSON text in the format of the API. */
  list(appId: number): Promise<string>;
}
