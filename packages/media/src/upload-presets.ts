import type { UploadPreset } from './presets.js';

/** A preset as sent. An absent field keeps its value, or takes the value of the default preset in a new preset. */
export type PresetChange = Partial<UploadPreset> & { readonly name: string; readonly isDefault?: boolean };

export interface MergedPresets {
  readonly changes: readonly PresetChange[];
  readonly newDefault: string | undefined;
}

/** The last change of a name wins, and so does the last new default. */
export function mergePresets(requestedChanges: readonly PresetChange[]): MergedPresets {
  const byName = new Map<string, PresetChange>();
  for (const change of requestedChanges) byName.set(change.name, { ...byName.get(change.name), ...change });
  const changes = [...byName.values()];
  return { changes, newDefault: changes.filter(({ isDefault }) => isDefault === true).at(-1)?.name };
}

/** Exactly one preset per app is the default. */
export interface UploadPresets {
  /**
   * Upserts presets by name in one transaction; the last change of a name wins. Returns JSON text of the presets as the
   * API presents them, in the order of the changes.
   */
  put(appId: number, changes: readonly PresetChange[]): Promise<string>;
}

export interface UploadPresetQueries {
  /** Returns JSON text of all presets as the API presents them, sorted by name. */
  list(appId: number): Promise<string>;
}
