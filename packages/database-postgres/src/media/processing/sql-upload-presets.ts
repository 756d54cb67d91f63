import type { Clock } from '@back-office/kernel';
import {
  DEFAULT_PRESET,
  mergePresets,
  presetEntries,
  type PresetChange,
  type UploadPresetQueries,
  type UploadPresets,
} from '@back-office/media';
import type { Postgres } from '../../connection/postgres.js';
import { nameKey } from '../../lists/sort-keys.js';

const PRESET_JSON = `json_build_object(
  'id', p.id, 'name', p.name, 'output_format', p.output_format, 'max_width', p.max_width, 'quality', p.quality,
  'rendition_widths', p.rendition_widths, 'is_default', p.is_default
)`;

const LIST_PRESETS = `
  select coalesce(json_agg(${PRESET_JSON} order by ${nameKey('p.name').sql}, p.id), '[]')::text as data from cdn_upload_presets p
  where p.app_id = $1`;

const FIND_PRESETS = `
  select coalesce(json_agg(${PRESET_JSON} order by sent.ordinal), '[]')::text as data
  from unnest($2::text[]) with ordinality as sent (name, ordinal)
  join cdn_upload_presets p on p.app_id = $1 and p.name = sent.name`;

const LOCK_PRESETS = `select id from cdn_upload_presets where app_id = $1 order by id for update`;

const PRESET_ROW = `(name text, output_format text, max_width int, quality int, rendition_widths int[])`;

// Writes in two statements, because a cluster refuses subqueries in DO UPDATE.
const ADD_PRESETS = `
  insert into cdn_upload_presets
    (app_id, name, output_format, max_width, quality, rendition_widths, is_default, inserted_at, updated_at)
  select $1, name, coalesce(output_format, $4), coalesce(max_width, $5), coalesce(quality, $6),
    coalesce(rendition_widths, $7), false, $3, $3
  from json_to_recordset($2) as row ${PRESET_ROW} order by name
  on conflict (app_id, name) do nothing`;

const CHANGE_PRESETS = `
  update cdn_upload_presets p set updated_at = $3, output_format = coalesce(row.output_format, p.output_format),
    max_width = coalesce(row.max_width, p.max_width), quality = coalesce(row.quality, p.quality),
    rendition_widths = coalesce(row.rendition_widths, p.rendition_widths)
  from json_to_recordset($2) as row ${PRESET_ROW}
  where p.app_id = $1 and p.name = row.name`;

const CLEAR_DEFAULT = `update cdn_upload_presets set is_default = false where app_id = $1 and is_default and name <> $2`;
const SET_DEFAULT = `update cdn_upload_presets set is_default = true where app_id = $1 and name = $2`;

export class SqlUploadPresets implements UploadPresets, UploadPresetQueries {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  async list(appId: number): Promise<string> {
    const [row] = await this.database.rows<{ data: string }>(LIST_PRESETS, [appId]);
    return row?.data ?? '[]';
  }

  put(appId: number, changes: readonly PresetChange[]): Promise<string> {
    const merge = mergePresets(changes);
    const rows = merge.changes.map((change) => ({
      name: change.name,
      output_format: change.outputFormat,
      max_width: change.maxWidth,
      quality: change.quality,
      rendition_widths: change.renditionWidths,
    }));
    const { outputFormat, maxWidth, quality, renditionWidths } = DEFAULT_PRESET;
    const defaults = [outputFormat, maxWidth, quality, renditionWidths];
    return this.database.transaction(async (transaction) => {
      transaction.locks('bulk');
      await transaction.rows(LOCK_PRESETS, [appId]);
      const names = changes.map(({ name }) => name);
      const [before] = await transaction.rows<{ data: string }>(FIND_PRESETS, [appId, names]);
      const values = [appId, JSON.stringify(rows), this.clock.now()];
      await transaction.rows(ADD_PRESETS, [...values, ...defaults]);
      await transaction.rows(CHANGE_PRESETS, values);
      if (merge.newDefault !== undefined) {
        await transaction.rows(CLEAR_DEFAULT, [appId, merge.newDefault]);
        await transaction.rows(SET_DEFAULT, [appId, merge.newDefault]);
      }
      const [row] = await transaction.rows<{ data: string }>(FIND_PRESETS, [appId, names]);
      transaction.record(appId, this.clock.now(), {
        entries: presetEntries(parseList(before?.data), parseList(row?.data)),
      });
      return row?.data ?? '[]';
    });
  }
}

type PresentedPreset = Parameters<typeof presetEntries>[0][number];

function parseList(json = '[]'): PresentedPreset[] {
  return JSON.parse(json) as PresentedPreset[];
}
