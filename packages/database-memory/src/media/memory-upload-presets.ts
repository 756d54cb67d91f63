import type { Clock } from '@back-office/kernel';
import {
  DEFAULT_PRESET,
  mergePresets,
  type PresetChange,
  type UploadPresetQueries,
  type UploadPresets,
} from '@back-office/media';
import { sortedBy } from '../lists.js';
import type { State } from '../state.js';
import type { UploadPresetRecord } from './records.js';

export class MemoryUploadPresets implements UploadPresets, UploadPresetQueries {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async list(appId: number): Promise<string> {
    const presets = sortedBy(this.state.uploadPresets.all(appId), [({ name }) => name, ({ id }) => id]);
    return JSON.stringify(presets.map(present));
  }

  async put(appId: number, changes: readonly PresetChange[]): Promise<string> {
    const merged = mergePresets(changes);
    return this.state.memory.transaction(() => {
      for (const change of sortedBy(merged.changes, [({ name }) => name])) this.putOne(appId, change);
      if (merged.newDefault !== undefined) this.makeDefault(appId, merged.newDefault);
      const named = changes.map(({ name }) => this.named(appId, name)).filter((preset) => preset !== undefined);
      return JSON.stringify(named.map(present));
    });
  }

  private putOne(appId: number, change: PresetChange): void {
    const now = this.clock.now();
    const earlier = this.named(appId, change.name);
    if (earlier) {
      this.state.uploadPresets.put(appId, { ...earlier, ...fieldsOf(change, earlier), updated_at: now });
      return;
    }
    const fields = fieldsOf(change, DEFAULTS);
    const marks = { is_default: false, inserted_at: now, updated_at: now };
    this.state.uploadPresets.insert(appId, { name: change.name, ...fields, ...marks });
  }

  private makeDefault(appId: number, name: string): void {
    for (const preset of this.state.uploadPresets.all(appId)) {
      const isDefault = preset.name === name;
      if (preset.is_default !== isDefault) this.state.uploadPresets.put(appId, { ...preset, is_default: isDefault });
    }
  }

  private named(appId: number, name: string): UploadPresetRecord | undefined {
    return this.state.uploadPresets.find(appId, (preset) => preset.name === name);
  }
}

type Fields = Pick<UploadPresetRecord, 'output_format' | 'max_width' | 'quality' | 'rendition_widths'>;

const DEFAULTS: Fields = {
  output_format: DEFAULT_PRESET.outputFormat,
  max_width: DEFAULT_PRESET.maxWidth,
  quality: DEFAULT_PRESET.quality,
  rendition_widths: DEFAULT_PRESET.renditionWidths,
};

function fieldsOf({ outputFormat, maxWidth, quality, renditionWidths }: PresetChange, otherwise: Fields): Fields {
  return {
    output_format: outputFormat ?? otherwise.output_format,
    max_width: maxWidth ?? otherwise.max_width,
    quality: quality ?? otherwise.quality,
    rendition_widths: renditionWidths ?? otherwise.rendition_widths,
  };
}

function present({ inserted_at: _insertedAt, updated_at: _updatedAt, ...preset }: UploadPresetRecord): object {
  return preset;
}
