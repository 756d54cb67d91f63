import type { Clock } from '@back-office/kernel';
import { DEFAULT_PRESET, type UploadPreset } from '@back-office/media';
import type { Database } from '../database/database.js';

/** A preset as it is sent: what is not sent keeps its value, or gets the default preset's. */
export type PresetWish = Partial<UploadPreset> & { readonly name: string; readonly isDefault?: boolean };

const JSON_OF = `json_build_object(
  'id', p.id, 'name', p.name, 'output_format', p.output_format, 'max_width', p.max_width, 'quality', p.quality,
  'rendition_widths', p.rendition_widths, 'is_default', p.is_default
)`;

const LIST = `
  select coalesce(json_agg(${JSON_OF} order by p.name, p.id), '[]')::text as data from cdn_upload_presets p
  where p.app_id = $1`;

const NAMED = `
  select coalesce(json_agg(${JSON_OF} order by wish.place), '[]')::text as data
  from unnest($2::text[]) with ordinality as wish (name, place)
  join cdn_upload_presets p on p.app_id = $1 and p.name = wish.name`;

const LOCK = `select id from cdn_upload_presets where app_id = $1 order by id for update`;

const PUT = `
  insert into cdn_upload_presets as p
    (app_id, name, output_format, max_width, quality, rendition_widths, is_default, inserted_at, updated_at)
  select $1, name, coalesce(output_format, $4), coalesce(max_width, $5), coalesce(quality, $6),
    coalesce(rendition_widths, $7), false, $3, $3
  from json_to_recordset($2) as row (name text, output_format text, max_width int, quality int, rendition_widths int[])
  order by name
  on conflict (app_id, name) do update set updated_at = excluded.updated_at,
    output_format = coalesce((select r.output_format from json_to_recordset($2) as r (name text, output_format text) where r.name = p.name), p.output_format),
    max_width = coalesce((select r.max_width from json_to_recordset($2) as r (name text, max_width int) where r.name = p.name), p.max_width),
    quality = coalesce((select r.quality from json_to_recordset($2) as r (name text, quality int) where r.name = p.name), p.quality),
    rendition_widths = coalesce((select r.rendition_widths from json_to_recordset($2) as r (name text, rendition_widths int[]) where r.name = p.name), p.rendition_widths)`;

const NO_DEFAULT = `update cdn_upload_presets set is_default = false where app_id = $1 and is_default and name <> $2`;
const DEFAULT = `update cdn_upload_presets set is_default = true where app_id = $1 and name = $2`;

/** What an app makes of its uploads. Exactly one preset is the default: it stops being it when another becomes it. */
export class TypeOrmMediaPresets {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** All presets as JSON text, by name. */
  async listJson(appId: number): Promise<string> {
    const [row] = await this.database.rows<{ data: string }>(LIST, [appId]);
    return row?.data ?? '[]';
  }

  /** Answers the presets as JSON text, in the order of the wishes. Of two wishes for one name the later one wins. */
  put(appId: number, wishes: readonly PresetWish[]): Promise<string> {
    const byName = new Map<string, PresetWish>();
    for (const wish of wishes) byName.set(wish.name, { ...byName.get(wish.name), ...wish });
    const rows = [...byName.values()].map((wish) => ({
      name: wish.name,
      output_format: wish.outputFormat,
      max_width: wish.maxWidth,
      quality: wish.quality,
      rendition_widths: wish.renditionWidths,
    }));
    const { outputFormat, maxWidth, quality, renditionWidths } = DEFAULT_PRESET;
    const usual = [outputFormat, maxWidth, quality, renditionWidths];
    const last = [...byName.values()].filter(({ isDefault }) => isDefault === true).at(-1);
    return this.database.transaction(async (transaction) => {
      transaction.locks('bulk');
      await transaction.rows(LOCK, [appId]);
      await transaction.rows(PUT, [appId, JSON.stringify(rows), this.clock.now(), ...usual]);
      if (last) {
        await transaction.rows(NO_DEFAULT, [appId, last.name]);
        await transaction.rows(DEFAULT, [appId, last.name]);
      }
      const names = wishes.map(({ name }) => name);
      const [row] = await transaction.rows<{ data: string }>(NAMED, [appId, names]);
      return row?.data ?? '[]';
    });
  }
}
