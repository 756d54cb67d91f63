import { isBlank, isStorable, characterCount } from './text.js';
import { MAX_AMOUNT, toMinor } from './money.js';

/** Result for a value of the wrong JSON type. It rejects the whole request with 400. */
export const MALFORMED = 'malformed';
export const CANT_BE_BLANK = "can't be blank";
export const IS_INVALID = 'is invalid';
export const IS_TOO_LONG = 'is too long';
export const MUST_BE_POSITIVE = 'must be greater than 0';
export const ALREADY_TAKEN = 'has already been taken';

/** Returns the message for an invalid text. `max` is in characters. */
export function checkText(value: unknown, max: number, isBlankAllowed: boolean): string | undefined {
  if (typeof value !== 'string') return MALFORMED;
  if (!isBlankAllowed && isBlank(value)) return CANT_BE_BLANK;
  if (!isStorable(value)) return IS_INVALID;
  return value.length > max && characterCount(value) > max ? IS_TOO_LONG : undefined;
}

export function isRow(row: unknown): row is Readonly<Record<string, unknown>> {
  return typeof row === 'object' && row !== null && !Array.isArray(row);
}

/** Checks like {@link checkText}, but accepts a missing value unless `isRequired`. */
export function checkTextField(value: unknown, max: number, isRequired: boolean): string | undefined {
  if (value === undefined || value === null) return isRequired ? CANT_BE_BLANK : undefined;
  return checkText(value, max, !isRequired);
}

/** Checks like {@link checkTextField}, and refuses URLs that run a script when a page opens them. */
export function checkUrlField(value: unknown, max: number, isRequired: boolean): string | undefined {
  const error = checkTextField(value, max, isRequired);
  return error === undefined && typeof value === 'string' && isScriptUrl(value) ? IS_INVALID : error;
}

/** Checks like {@link checkUrlField}, and refuses schemes and passwords that no shop shows as an image. */
export function checkImageUrlField(value: unknown, max: number, isRequired: boolean): string | undefined {
  const error = checkUrlField(value, max, isRequired);
  return error === undefined && typeof value === 'string' && !isImageUrl(value) ? IS_INVALID : error;
}

function isImageUrl(url: string): boolean {
  const [, scheme = 'https', rest = ''] = /^\s*([a-z][a-z0-9+.-]*):(.*)$/is.exec(url) ?? [];
  const isWebUrl = ['http', 'https'].includes(scheme.toLowerCase()) && !/^[/\\]*[^/?#\\]*@/.test(rest);
  return isWebUrl || scheme.toLowerCase() === 'data';
}

/**
 * Returns true for `javascript:`, `vbscript:` and `data:` URLs, except images. Ignores spaces and control characters in
 * the scheme, as browsers do.
 */
function isScriptUrl(url: string): boolean {
  const scheme = [...url.slice(0, url.indexOf(':') + 1).toLowerCase()].filter((character) => character > ' ').join('');
  const isImage = url
    .slice(url.indexOf(':') + 1)
    .toLowerCase()
    .trimStart()
    .startsWith('image/');
  return scheme === 'javascript:' || scheme === 'vbscript:' || (scheme === 'data:' && !isImage);
}

/** Returns the message for an invalid amount; accepts a missing value. `min` is in minor units. */
export function checkAmount(value: unknown, decimals: number, min = 0): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number') return MALFORMED;
  const minor = toMinor(value, decimals);
  return minor === undefined || minor < min ? IS_INVALID : undefined;
}

/** Checks a percentage with at most two decimals. `min` is in basis points. */
export function checkPercentage(value: unknown, min = 0): string | undefined {
  return checkAmount(value, 2, min) ?? (Number(value ?? 0) > 100 ? IS_INVALID : undefined);
}

export function checkFlag(value: unknown): string | undefined {
  return value === undefined || value === null || typeof value === 'boolean' ? undefined : MALFORMED;
}

export function isQuantity(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MAX_AMOUNT;
}

const RULE_NAMES: Readonly<Record<string, string>> = {
  [CANT_BE_BLANK]: 'CantBeBlank',
  [IS_INVALID]: 'IsInvalid',
  [IS_TOO_LONG]: 'IsTooLong',
  [ALREADY_TAKEN]: 'HasAlreadyBeenTaken',
};

interface RowFields {
  readonly required?: readonly string[];
  readonly texts?: readonly string[];
  readonly numbers?: readonly string[];
  readonly optionalValues?: readonly string[];
}

export function rowErrorKeys(
  area: string,
  { required = [], texts = [], numbers = [], optionalValues = [] }: RowFields,
): string[] {
  const keysOf = (fields: readonly string[], rule: string) => fields.map((field) => rowErrorKey(area, field, rule));
  return [
    rowErrorKey(area, '', MALFORMED),
    ...keysOf([...required, ...numbers], CANT_BE_BLANK),
    ...keysOf([...required, ...texts, ...numbers, ...optionalValues], IS_INVALID),
    ...keysOf([...required, ...texts], IS_TOO_LONG),
  ];
}

/** Example: `API.Warehouses.NameCantBeBlank`. */
export function rowErrorKey(area: string, field: string, rule: string): string {
  if (rule === MALFORMED) return `API.${area}.WrongDataType`;
  const name = field.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `API.${area}.${name}${RULE_NAMES[rule]}`;
}
