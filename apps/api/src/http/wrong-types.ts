import { Type } from '@sinclair/typebox';
import type { ValidationError } from 'class-validator';
import type { Answer } from './answer.js';
import { requestProblem, type Problem } from './problems.js';
import { MALFORMED } from '@back-office/kernel';
import type { Speech } from '@back-office/apps';
import { listOf, record, text, type TypeOf } from './shapes.js';

export const WRONG_DATA_TYPE = 'API.Utils.WrongDataType';

const WrongTypeShape = record({
  field: text,
  expected_type: text,
  received_type: text,
  received_value: Type.Unknown(),
});
type WrongType = TypeOf<typeof WrongTypeShape>;

export const WrongTypesShape = record({ errors: record({ Utils: listOf(text), fields: listOf(WrongTypeShape) }) });

export function wrongTypesAnswer(fields: readonly WrongType[], speech: Speech): Answer {
  const message = speech.say(WRONG_DATA_TYPE);
  const problems = fields.map((field) => ({ ...wrongTypeProblem(field), key: WRONG_DATA_TYPE, message }));
  return { status: 400, body: { errors: { Utils: [message], fields } }, problems };
}

/** The JSON answer alone shows the value, since a problem document points to it. */
export function wrongTypeProblem({ field, expected_type, received_type }: WrongType): Problem {
  const key = received_type === MISSING_TYPE ? 'Request.MissingField' : 'Request.WrongType';
  return requestProblem(key, { field, details: { expected_type, received_type } });
}

type Path = readonly (string | number)[];

export function findWrongTypes(errors: readonly ValidationError[], holder: unknown, path: Path = []): WrongType[] {
  return errors.flatMap(({ property, constraints, contexts, children }) => {
    const value = (holder as Readonly<Record<string, unknown>>)[property];
    const fieldPath = [...path, property];
    const expectedType = (contexts?.['field'] as { type: string } | undefined)?.type ?? '';
    // The list of such an entry already reports that the entry is not an object.
    if (Array.isArray(holder) && !isObject(value)) return [];
    const wrongFieldValues =
      constraints?.['field'] === MALFORMED ? findWrongValues(value, expectedType, fieldPath) : [];
    return [...wrongFieldValues, ...findWrongTypes(children ?? [], value, fieldPath)];
  });
}

function findWrongValues(value: unknown, expectedType: string, path: Path): WrongType[] {
  if (expectedType !== 'array' || !Array.isArray(value)) return [describeWrongType(value, expectedType, path)];
  return value.flatMap((entry: unknown, index) =>
    isObject(entry) ? [] : [describeWrongType(entry, 'object', [...path, index])],
  );
}

function describeWrongType(value: unknown, expectedType: string, path: Path): WrongType {
  return {
    field: path.join('.'),
    expected_type: expectedType,
    received_type: typeNameOf(value),
    received_value: value,
  };
}

const MISSING_TYPE = 'undefined';

function typeNameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
