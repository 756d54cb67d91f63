import { LONGEST_STRING } from '@back-office/kernel';
import { CANT_BE_BLANK, IS_INVALID, IS_TOO_LONG, judgeText, JudgedBy, MALFORMED } from '../http/request-fields.js';

const MOST_TAGS = 100;
const optional = true;

/** Tags as a list, or as one text with commas. */
export function Tags(): PropertyDecorator {
  const judge = (value: unknown): string | undefined => {
    if (typeof value === 'string')
      return judgeText(value, MOST_TAGS * (LONGEST_STRING + 1), true) ?? judgeEach(value.split(','));
    if (!Array.isArray(value) || value.some((each) => typeof each !== 'string')) return MALFORMED;
    return judgeEach(value as string[]);
  };
  const list = { type: 'array', items: { type: 'string', maxLength: LONGEST_STRING }, maxItems: MOST_TAGS } as const;
  return JudgedBy(judge, { anyOf: [{ type: 'string' }, list, { type: 'null' }] }, { optional });
}

function judgeEach(tags: readonly string[]): string | undefined {
  if (tags.length > MOST_TAGS) return IS_TOO_LONG;
  return tags.map((tag) => judgeText(tag, LONGEST_STRING, true)).find((wrong) => wrong !== undefined);
}

/** A whole number in a form, where everything is text. */
export function FormNumber(): PropertyDecorator {
  const judge = (value: unknown): string | undefined => {
    if (typeof value !== 'string') return MALFORMED;
    return /^\s*$/.test(value) || /^\d{1,15}$/.test(value) ? undefined : IS_INVALID;
  };
  return JudgedBy(judge, { type: 'string', pattern: '^\\d*$' }, { optional });
}

export function numberOf(text: string | null | undefined): number | undefined {
  return text === undefined || text === null || text.trim() === '' ? undefined : Number(text);
}

/** Something that the call itself judges, since it names the failure. */
export function Anything(): PropertyDecorator {
  return JudgedBy(() => undefined, {}, { optional });
}

const MOST_IDS = 10_000;

/** The ids of a call with one result per entry: any whole number is well formed. */
export function Ids(): PropertyDecorator {
  const judge = (value: unknown): string | undefined => {
    if (!Array.isArray(value) || !value.every((each) => Number.isInteger(each))) return MALFORMED;
    return value.length === 0 ? CANT_BE_BLANK : undefined;
  };
  return JudgedBy(judge, { type: 'array', items: { type: 'integer' }, maxItems: MOST_IDS }, {});
}
