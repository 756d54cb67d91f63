import { validateSync, type ValidationError } from 'class-validator';
import { badRequest, HttpProblem, type FieldErrors } from './errors.js';
import { isPlainObject, toInstance, wrapperOf } from './nested-values.js';
import type { Problem } from './problems.js';
import { MALFORMED } from '@back-office/kernel';
import { formatPointer } from './pointer.js';
import { brokenRuleOf, findWrongTypes, wrongTypeProblem } from './wrong-types.js';

export type BodyClass<Body extends object = object> = new () => Body;

export interface ValidatedBody<Body> {
  readonly body: Body;
  /** Field errors; they are answered only when the record of the path exists. */
  readonly errors: FieldErrors | undefined;
  readonly wrongTypes?: ReturnType<typeof findWrongTypes>;
}

/** Parses a body into its request class. Throws 400 for a value of the wrong JSON type. */
export function validateBody<Body extends object>(
  bodyClass: BodyClass<Body>,
  raw: unknown,
  listsWrongTypes = false,
): ValidatedBody<Body> {
  if (!isPlainObject(raw)) throw badRequest('Request.WrongType', { pointer: '' });
  const body = toInstance(bodyClass, raw);
  const violations = validateSync(body, { validationError: { target: false } });
  const wrapper = wrapperOf(bodyClass);
  const errors = violations.flatMap((error) => messagesOf(error, error.property === wrapper ? [] : [error.property]));
  if (errors.some(([, message]) => message === MALFORMED)) {
    const wrapped = listsWrongTypes ? violations.find(({ property }) => property === wrapper) : undefined;
    const wrongTypes = wrapped ? findWrongTypes(wrapped.children ?? [], raw[wrapped.property]) : [];
    if (wrongTypes.length === 0) throw new HttpProblem(400, {}, describeWrongTypes(violations, raw));
    return { body, errors: undefined, wrongTypes };
  }
  return { body, errors: errors.length > 0 ? groupByField(errors) : undefined };
}

/** Maximum number of reported entries; more would help no reader. */
const MAX_DESCRIBED_TYPES = 100;

function describeWrongTypes(violations: readonly ValidationError[], body: unknown): Problem[] {
  const wrongTypes = findWrongTypes([...violations], body).slice(0, MAX_DESCRIBED_TYPES);
  return wrongTypes.map(({ field, ...types }) => {
    const { key, message, details } = wrongTypeProblem({ field, ...types });
    return { key, message, pointer: formatPointer(field.split('.')), ...(details && { details }) };
  });
}

type FieldMessage = readonly [field: string, message: string];

/** Field paths omit the wrapper: `payment.amount` is reported as `amount`. */
function messagesOf(error: ValidationError, path: readonly string[]): FieldMessage[] {
  const [, message] = brokenRuleOf(error) ?? [];
  if (message !== undefined) return [[path.join('.'), message]];
  return (error.children ?? []).flatMap((child) => messagesOf(child, [...path, child.property]));
}

function groupByField(errors: readonly FieldMessage[]): FieldErrors {
  const byField: Record<string, string[]> = {};
  for (const [field, message] of errors) (byField[field] ??= []).push(message);
  return byField;
}
