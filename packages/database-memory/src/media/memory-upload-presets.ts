import { nameSortKey } from '@back-office/database';
import type { Clock } from '@back-office/kernel';
import {
  DEFAULT_PRESET,
  mergePresets,
  presetEntries,
  type PresetChange,
  type UploadPresetQueries,
  type UploadPresets,
} from '@back-office/media';
import { audit } from '../apps/audit-entries.js';
import { sortBy } from '../lists.js';
import type { State } from '../state.js';
import type { UploadPresetRecord } from './records.js';

export class MemoryUploadPresets implements UploadPresets, UploadPresetQueries {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async list(appId: number): Promise<string> {
    const presets = sortBy(this.state.uploadPresets.all(appId), [({ name }) => nameSortKey(name), ({ id }) => id]);
    return JSON.stringify(presets.map(presentPreset));
  }

  async put(appId: number, changes: readonly PresetChange[]): Promise<string> {
    const mergedChanges = mergePresets(changes);
    const names = changes.map(({ name }) => name);
    return this.state.memory.transaction(() => {
      const before = this.presentNamed(appId, names);
      for (const change of sortBy(mergedChanges.changes, [({ name }) => name])) this.putOne(appId, change);
      if (mergedChanges.newDefault !== undefined) this.makeDefault(appId, mergedChanges.newDefault);
      const after = this.presentNamed(appId, names);
      audit(this.state, appId, this.clock.now(), presetEntries(before, after));
      return JSON.stringify(after);
    });
  }

  private presentNamed(appId: number, names: readonly string[]): PresentedPreset[] {
    return names
      .map((name) => this.findByName(appId, name))
      .filter((preset) => preset !== undefined)
      .map(presentPreset);
  }

  private putOne(appId: number, change: PresetChange): void {
    const now = this.clock.now();
    const existingPreset = this.findByName(appId, change.name);
    if (existingPreset) {
      this.state.uploadPresets.put(appId, { ...existingPreset, ...fieldsOf(change, existingPreset), updated_at: now });
      return;
    }
    const fields = fieldsOf(change, DEFAULT_FIELDS);
    const initialFields = { is_default: false, inserted_at: now, updated_at: now };
    this.state.uploadPresets.insert(appId, { name: change.name, ...fields, ...initialFields });
  }

  private makeDefault(appId: number, name: string): void {
    for (const preset of this.state.uploadPresets.all(appId)) {
      const isDefault = preset.name === name;
      if (preset.is_default !== isDefault) this.state.uploadPresets.put(appId, { ...preset, is_default: isDefault });
    }
  }

  private findByName(appId: number, name: string): UploadPresetRecord | undefined {
    return this.state.uploadPresets.find(appId, (preset) => preset.name === name);
  }
}

type PresetFields = Pick<UploadPresetRecord, 'output_format' | 'max_width' | 'quality' | 'rendition_widths'>;

const DEFAULT_FIELDS: PresetFields = {
  output_format: DEFAULT_PRESET.outputFormat,
  max_width: DEFAULT_PRESET.maxWidth,
  quality: DEFAULT_PRESET.quality,
  rendition_widths: DEFAULT_PRESET.renditionWidths,
};

function fieldsOf(
  { outputFormat, maxWidth, quality, renditionWidths }: PresetChange,
  defaults: PresetFields,
): PresetFields {
  return {
    output_format: outputFormat ?? defaults.output_format,
    max_width: maxWidth ?? defaults.max_width,
    quality: quality ?? defaults.quality,
    rendition_widths: renditionWidths ?? defaults.rendition_widths,
  };
}

type PresentedPreset = Omit<UploadPresetRecord, 'inserted_at' | 'updated_at'>;

function presentPreset({
  inserted_at: _insertedAt,
  updated_at: _updatedAt,
  ...preset
}: UploadPresetRecord): PresentedPreset {
  return preset;
}
