import { CANT_BE_BLANK, IS_INVALID, IS_TOO_LONG, checkText, MAX_STRING_LENGTH, MALFORMED } from '@back-office/kernel';
import { splitTags } from '@back-office/media';
import { ValidatedBy } from '../../http/request-fields.js';

export const MAX_PATH_LENGTH = 1_024;
export const MAX_TEXT_LENGTH = 5_000;
const MAX_TAGS = 100;
/** Leaves room for the quotes, commas and spaces of a JSON array. */
const MAX_TAGS_LENGTH = MAX_TAGS * (MAX_STRING_LENGTH + 4);

const TAG_LIST = {
  type: 'array',
  items: { type: 'string', maxLength: MAX_STRING_LENGTH },
  maxItems: MAX_TAGS,
} as const;

export function Tags(): PropertyDecorator {
  return ValidatedBy(validateTags, { anyOf: [{ type: 'string' }, TAG_LIST, { type: 'null' }] });
}

/**
 * Accepts a list of tags, a text with commas or a JSON array in a text. The API reference shows only the list, because
 * generated clients cannot send a form field of several types.
 */
export function FormTags(): PropertyDecorator {
  return ValidatedBy(validateTags, TAG_LIST);
}

function validateTags(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const tags = splitTags(value);
    if (tags === undefined) return IS_INVALID;
    return checkText(value, MAX_TAGS_LENGTH, true) ?? validateTagList(tags);
  }
  if (!Array.isArray(value) || value.some((tag) => typeof tag !== 'string')) return MALFORMED;
  return validateTagList(value as string[]);
}

function validateTagList(tags: readonly string[]): string | undefined {
  if (tags.length > MAX_TAGS) return IS_TOO_LONG;
  return tags.map((tag) => checkText(tag, MAX_STRING_LENGTH, true)).find((error) => error !== undefined);
}

/** A form sends every value as text, so this field accepts digits. */
export function FormNumber(): PropertyDecorator {
  const validate = (value: unknown): string | undefined => {
    if (typeof value !== 'string') return MALFORMED;
    return /^\s*$/.test(value) || /^\d{1,15}$/.test(value) ? undefined : IS_INVALID;
  };
  return ValidatedBy(validate, { type: 'string', pattern: '^\\d*$' });
}

export function parseFormNumber(text: string | null | undefined): number | undefined {
  return text === undefined || text === null || text.trim() === '' ? undefined : Number(text);
}

const MAX_IDS = 10_000;

/** Accepts any integers, because the response reports each unknown id separately. */
export function Ids(): PropertyDecorator {
  const validate = (value: unknown): string | undefined => {
    if (!Array.isArray(value) || !value.every((id) => Number.isInteger(id))) return MALFORMED;
    return value.length === 0 ? CANT_BE_BLANK : undefined;
  };
  return ValidatedBy(validate, { type: 'array', items: { type: 'integer' }, maxItems: MAX_IDS });
}
