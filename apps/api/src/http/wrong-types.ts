import { Type } from '@sinclair/typebox';
import { ValidationTypes, type ValidationError } from 'class-validator';
import type { Answer } from './answer.js';
import { isPlainObject } from './nested-values.js';
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

/** A problem document points to the value, so it does not contain the value. The plain JSON answer does. */
export function wrongTypeProblem({ field, expected_type, received_type }: WrongType): Problem {
  const key = received_type === MISSING_TYPE ? 'Request.MissingField' : 'Request.WrongType';
  // Equal types mean that a nested value is wrong, so stating the types would not help.
  const details = expected_type === received_type ? undefined : { expected_type, received_type };
  return requestProblem(key, { field, ...(details && { details }) });
}

type Path = readonly (string | number)[];

export function findWrongTypes(errors: readonly ValidationError[], holder: unknown, path: Path = []): WrongType[] {
  return errors.flatMap((error) => {
    const { property, contexts, children } = error;
    const sent = (holder as Readonly<Record<string, unknown>>)[property];
    // Only the first entries of an overlong list were validated.
    const value = Array.isArray(sent) ? sent.slice(0, (error.value as unknown[]).length) : sent;
    const fieldPath = [...path, property];
    // Skips an entry that should be an object, because the error of its list already reports the entry.
    if (Array.isArray(holder) && !isPlainObject(value)) return [];
    const [rule = '', message] = brokenRuleOf(error) ?? [];
    const wrongFieldValues =
      message === MALFORMED ? findWrongValues(value, contexts?.[rule] as ExpectedType, fieldPath) : [];
    return [...wrongFieldValues, ...findWrongTypes(children ?? [], value, fieldPath)];
  });
}

/** Returns the broken rule that comes first in the class. The decorators of a field run from last to first. */
export function brokenRuleOf({ constraints = {} }: ValidationError): [rule: string, message: string] | undefined {
  return Object.entries(constraints).findLast(([rule]) => rule !== ValidationTypes.NESTED_VALIDATION);
}

/** Expected JSON types of a field and of its list entries. */
export interface ExpectedType {
  readonly type: string;
  readonly itemType?: string | undefined;
}

export function expectedTypeOf(schema: object): ExpectedType {
  const { type = 'object', items } = schema as { readonly type?: string; readonly items?: { readonly type?: string } };
  return { type, itemType: items?.type };
}

function findWrongValues(value: unknown, { type, itemType }: ExpectedType, path: Path): WrongType[] {
  const entries: readonly unknown[] = type === 'array' && Array.isArray(value) ? value : [];
  const wrongEntries = entries.flatMap((entry, index) =>
    itemType === undefined || isOfType(entry, itemType) ? [] : [describeWrongType(entry, itemType, [...path, index])],
  );
  return wrongEntries.length > 0 ? wrongEntries : [describeWrongType(value, type, path)];
}

function isOfType(value: unknown, type: string): boolean {
  const name = typeNameOf(value);
  return name === type || (name === 'integer' && type === 'number');
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
