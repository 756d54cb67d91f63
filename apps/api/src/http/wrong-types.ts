import { Type } from '@sinclair/typebox';
import type { ValidationError } from 'class-validator';
import type { Answer } from './answer.js';
import { MALFORMED } from '@back-office/kernel';
import type { Speech } from '@back-office/apps';
import { listOf, record, text, type Of } from './shapes.js';

export const WRONG_DATA_TYPE = 'API.Utils.WrongDataType';

const WrongTypeShape = record({
  field: text,
  expected_type: text,
  received_type: text,
  received_value: Type.Unknown(),
});
type WrongType = Of<typeof WrongTypeShape>;

export const WrongTypesShape = record({ errors: record({ Utils: listOf(text), fields: listOf(WrongTypeShape) }) });

export function wrongTypesAnswer(fields: readonly WrongType[], speech: Speech): Answer {
  return { status: 400, body: { errors: { Utils: [speech.say(WRONG_DATA_TYPE)], fields } }, keys: [WRONG_DATA_TYPE] };
}

type Path = readonly (string | number)[];

/** All values below `holder` of a wrong JSON type, by path. */
export function wrongTypesBelow(errors: readonly ValidationError[], holder: unknown, path: Path = []): WrongType[] {
  return errors.flatMap(({ property, constraints, contexts, children }) => {
    const received = (holder as Readonly<Record<string, unknown>>)[property];
    const at = [...path, property];
    const expected = (contexts?.['field'] as { type: string } | undefined)?.type ?? '';
    // The list has already named an entry that is no record.
    if (Array.isArray(holder) && !isRecord(received)) return [];
    const own = constraints?.['field'] === MALFORMED ? wrongValues(received, expected, at) : [];
    return [...own, ...wrongTypesBelow(children ?? [], received, at)];
  });
}

/** A list is wrong by its entries, which must all be records. */
function wrongValues(received: unknown, expected: string, path: Path): WrongType[] {
  if (expected !== 'array' || !Array.isArray(received)) return [wrongType(received, expected, path)];
  return received.flatMap((entry: unknown, index) =>
    isRecord(entry) ? [] : [wrongType(entry, 'object', [...path, index])],
  );
}

function wrongType(value: unknown, expected: string, path: Path): WrongType {
  return {
    field: path.join('.'),
    expected_type: expected,
    received_type: typeName(value),
    received_value: value,
  };
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
