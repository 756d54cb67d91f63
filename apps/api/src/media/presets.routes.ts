import { LONGEST_STRING } from '@back-office/kernel';
import { OUTPUT_FORMATS, type ImageProcessor } from '@back-office/media';
import { okText } from '../http/answer.js';
import { keysAnswer } from '../http/errors.js';
import { CANT_BE_BLANK, IS_INVALID, MALFORMED, orNull, Unjudged } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { isRow, rowKey, rowKeys, rowsOf, wrongText } from '../http/row-check.js';
import { integer, listOf, named, oneOf, record, text, truth } from '../http/shapes.js';
import type { PresetWish, TypeOrmMediaPresets } from './typeorm-media-presets.js';

const AREA = 'CdnUploadPresets';
const [LEAST_PIXELS, MOST_PIXELS] = [16, 16_384];
const [MOST_WIDTH, MOST_WIDTHS] = [4_096, 10];
const BEST = 100;
/** What any image adapter that can write the format can make it of. */
const PHOTO = { mime: 'image/jpeg', width: 1, height: 1, animated: false, cmyk: false };

const PresetShape = named('CdnUploadPreset', {
  id: integer,
  name: text,
  output_format: oneOf(OUTPUT_FORMATS),
  max_width: integer,
  quality: integer,
  rendition_widths: listOf(integer),
  is_default: truth,
});

const whole = (minimum: number, maximum: number) => ({ type: 'integer' as const, minimum, maximum });

class PutCdnUploadPresets {
  @Unjudged({
    type: 'array',
    items: {
      type: 'object',
      properties: {
        name: { type: 'string', maxLength: LONGEST_STRING },
        output_format: orNull({ type: 'string', enum: [...OUTPUT_FORMATS] }),
        max_width: orNull(whole(LEAST_PIXELS, MOST_PIXELS)),
        quality: orNull(whole(1, BEST)),
        rendition_widths: orNull({
          type: 'array',
          items: whole(LEAST_PIXELS, MOST_WIDTH),
          maxItems: MOST_WIDTHS,
        }),
        is_default: orNull({ type: 'boolean' }),
      },
    },
  })
  cdn_upload_presets?: unknown;
}

export function presetRoutes(presets: TypeOrmMediaPresets, images: Pick<ImageProcessor, 'can'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/cdn_upload_presets',
      caller: 'app',
      summary: "The app's upload presets by name; one of them is the default",
      answers: { 200: record({ data: listOf(PresetShape) }) },
      handle: async ({ app }) => okText(await presets.listJson(app.id)),
    }),
    route({
      method: 'put',
      path: '/cdn_upload_presets',
      caller: 'app',
      extension: true,
      summary: 'Adds and changes upload presets, matched by name, all or nothing',
      body: PutCdnUploadPresets,
      answers: { 200: record({ data: listOf(PresetShape) }) },
      refusals: rowKeys(AREA, {
        required: ['name'],
        others: ['output_format', 'max_width', 'quality', 'rendition_widths'],
      }),
      handle: async ({ app, body }) => {
        const rows = rowsOf(body, 'cdn_upload_presets');
        const failures = rows.flatMap((row) => wrongOf(row, images) ?? []);
        if (failures.length > 0) return keysAnswer(failures, app);
        return okText(await presets.put(app.id, rows.map(wishOf)));
      },
    }),
  ];
}

function wrongOf(row: unknown, images: Pick<ImageProcessor, 'can'>): string | undefined {
  if (!isRow(row)) return rowKey(AREA, '', MALFORMED);
  const wrong = Object.entries(JUDGES(images)).map(([field, judge]) => [field, judge(row[field])] as const);
  const [field, rule] = wrong.find(([, each]) => each !== undefined) ?? [];
  return field === undefined || rule === undefined ? undefined : rowKey(AREA, field, rule);
}

type Judge = (value: unknown) => string | undefined;
const unlessAbsent =
  (judge: Judge): Judge =>
  (value) =>
    value === undefined || value === null ? undefined : judge(value);
const wholeBetween = (least: number, most: number): Judge =>
  unlessAbsent((value) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return MALFORMED;
    return value < least || value > most ? IS_INVALID : undefined;
  });

const JUDGES = (images: Pick<ImageProcessor, 'can'>): Readonly<Record<string, Judge>> => ({
  name: (value) => wrongText(value, LONGEST_STRING, true),
  output_format: unlessAbsent((value) => {
    if (typeof value !== 'string') return MALFORMED;
    const format = OUTPUT_FORMATS.find((each) => each === value);
    return format !== undefined && images.can(PHOTO, format) ? undefined : IS_INVALID;
  }),
  max_width: wholeBetween(LEAST_PIXELS, MOST_PIXELS),
  quality: wholeBetween(1, BEST),
  rendition_widths: unlessAbsent((value) => {
    if (!Array.isArray(value)) return MALFORMED;
    if (value.length > MOST_WIDTHS) return IS_INVALID;
    return value
      .map((each) => wholeBetween(LEAST_PIXELS, MOST_WIDTH)(each ?? CANT_BE_BLANK))
      .find((each) => each !== undefined);
  }),
  is_default: unlessAbsent((value) => (typeof value === 'boolean' ? undefined : MALFORMED)),
});

function wishOf(row: unknown): PresetWish {
  const sent = row as Readonly<Record<string, unknown>>;
  const wish = {
    name: (sent['name'] as string).trim(),
    outputFormat: sent['output_format'] ?? undefined,
    maxWidth: sent['max_width'] ?? undefined,
    quality: sent['quality'] ?? undefined,
    renditionWidths: sent['rendition_widths'] ?? undefined,
    isDefault: sent['is_default'] ?? undefined,
  };
  return Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined)) as unknown as PresetWish;
}
