import {
  CANT_BE_BLANK,
  failedRows,
  IS_INVALID,
  isRow,
  MAX_STRING_LENGTH,
  MALFORMED,
  rowErrorKey,
  rowErrorKeys,
  checkTextField,
} from '@back-office/kernel';
import {
  type ImageProcessor,
  OUTPUT_FORMATS,
  type PresetChange,
  type UploadPresetQueries,
  type UploadPresets,
} from '@back-office/media';
import { okJson } from '../../http/answer.js';
import { rejectionAnswer } from '../../http/errors.js';
import { orNull, ValidatedByDomain } from '../../http/request-fields.js';
import { route, type Route } from '../../http/route.js';
import { rowsOf } from '../../http/row-check.js';
import { integer, listOf, component, oneOf, record, text, boolean } from '../../http/shapes.js';

const AREA = 'CdnUploadPresets';
const [MIN_WIDTH, MAX_WIDTH] = [16, 16_384];
const [MAX_RENDITION_WIDTH, MAX_RENDITIONS] = [4_096, 10];
const MAX_QUALITY = 100;
/** Every adapter that can write a format can convert this simple image to it. */
const SAMPLE_PHOTO = { mime: 'image/jpeg', width: 1, height: 1, animated: false, cmyk: false };

const PresetShape = component('CdnUploadPreset', {
  id: integer,
  name: text,
  output_format: oneOf(OUTPUT_FORMATS),
  max_width: integer,
  quality: integer,
  rendition_widths: listOf(integer),
  is_default: boolean,
});

const integerBetween = (minimum: number, maximum: number) => ({ type: 'integer' as const, minimum, maximum });

class PutCdnUploadPresets {
  @ValidatedByDomain({
    type: 'array',
    items: {
      type: 'object',
      properties: {
        name: { type: 'string', maxLength: MAX_STRING_LENGTH },
        output_format: orNull({ type: 'string', enum: [...OUTPUT_FORMATS] }),
        max_width: orNull(integerBetween(MIN_WIDTH, MAX_WIDTH)),
        quality: orNull(integerBetween(1, MAX_QUALITY)),
        rendition_widths: orNull({
          type: 'array',
          items: integerBetween(MIN_WIDTH, MAX_RENDITION_WIDTH),
          maxItems: MAX_RENDITIONS,
        }),
        is_default: orNull({ type: 'boolean' }),
      },
    },
  })
  cdn_upload_presets?: unknown;
}

export function presetRoutes(
  presets: UploadPresets,
  queries: UploadPresetQueries,
  images: Pick<ImageProcessor, 'can'>,
): Route[] {
  return [
    route({
      method: 'get',
      path: '/cdn_upload_presets',
      caller: 'app',
      scope: 'settings:read',
      summary: "Lists the app's upload presets by name; one is the default",
      answers: { 200: record({ data: listOf(PresetShape) }) },
      handle: async ({ app }) => okJson(await queries.list(app.id)),
    }),
    route({
      method: 'put',
      path: '/cdn_upload_presets',
      caller: 'app',
      scope: 'settings:write',
      extension: true,
      summary: 'Adds and changes upload presets by name, all or nothing',
      body: PutCdnUploadPresets,
      answers: { 200: record({ data: listOf(PresetShape) }) },
      refusals: rowErrorKeys(AREA, {
        required: ['name'],
        optionalValues: ['output_format', 'max_width', 'quality', 'rendition_widths'],
      }),
      handle: async ({ app, body }) => {
        const rows = rowsOf(body, 'cdn_upload_presets');
        const failures = failedRows(rows.map((row) => findRowError(row, images)));
        if (failures.length > 0) return rejectionAnswer(failures, { field: 'cdn_upload_presets', rows }, app);
        return okJson(await presets.put(app.id, rows.map(presetChangeOf)));
      },
    }),
  ];
}

function findRowError(row: unknown, images: Pick<ImageProcessor, 'can'>): string | undefined {
  if (!isRow(row)) return rowErrorKey(AREA, '', MALFORMED);
  const errors = Object.entries(validators(images)).map(([field, validate]) => [field, validate(row[field])] as const);
  const [field, rule] = errors.find(([, error]) => error !== undefined) ?? [];
  return field === undefined || rule === undefined ? undefined : rowErrorKey(AREA, field, rule);
}

type Validator = (value: unknown) => string | undefined;
const allowAbsent =
  (validate: Validator): Validator =>
  (value) =>
    value === undefined || value === null ? undefined : validate(value);
const integerValidator = (minimum: number, maximum: number): Validator =>
  allowAbsent((value) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return MALFORMED;
    return value < minimum || value > maximum ? IS_INVALID : undefined;
  });

const validators = (images: Pick<ImageProcessor, 'can'>): Readonly<Record<string, Validator>> => ({
  name: (value) => checkTextField(value, MAX_STRING_LENGTH, true),
  output_format: allowAbsent((value) => {
    if (typeof value !== 'string') return MALFORMED;
    const format = OUTPUT_FORMATS.find((name) => name === value);
    return format !== undefined && images.can(SAMPLE_PHOTO, format) ? undefined : IS_INVALID;
  }),
  max_width: integerValidator(MIN_WIDTH, MAX_WIDTH),
  quality: integerValidator(1, MAX_QUALITY),
  rendition_widths: allowAbsent((value) => {
    if (!Array.isArray(value)) return MALFORMED;
    if (value.length > MAX_RENDITIONS) return IS_INVALID;
    return value
      .map((width) => integerValidator(MIN_WIDTH, MAX_RENDITION_WIDTH)(width ?? CANT_BE_BLANK))
      .find((error) => error !== undefined);
  }),
  is_default: allowAbsent((value) => (typeof value === 'boolean' ? undefined : MALFORMED)),
});

function presetChangeOf(row: unknown): PresetChange {
  const fields = row as Readonly<Record<string, unknown>>;
  const change = {
    name: (fields['name'] as string).trim(),
    outputFormat: fields['output_format'] ?? undefined,
    maxWidth: fields['max_width'] ?? undefined,
    quality: fields['quality'] ?? undefined,
    renditionWidths: fields['rendition_widths'] ?? undefined,
    isDefault: fields['is_default'] ?? undefined,
  };
  return Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  ) as unknown as PresetChange;
}
