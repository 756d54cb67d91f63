import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { badRequest, HttpProblem, type FieldErrors } from './errors.js';
import { truncateOverlongLists, isPlainObject } from './nested-values.js';
import { isWrapper } from './request-fields.js';
import type { Problem } from './problems.js';
import { MALFORMED } from '@back-office/kernel';
import { formatPointer } from './pointer.js';
import { findWrongTypes, wrongTypeProblem } from './wrong-types.js';

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
  const truncatedBody = truncateOverlongLists(bodyClass, raw);
  const body = plainToInstance(bodyClass, truncatedBody, { strategy: 'excludeAll', exposeUnsetFields: false });
  const violations = validateSync(body, { whitelist: true, validationError: { target: false, value: false } });
  const errors = violations.flatMap((error) =>
    messagesOf(error, isWrapper(bodyClass, error.property) ? [] : [error.property]),
  );
  if (errors.some(([, message]) => message === MALFORMED)) {
    const wrongTypes = listsWrongTypes ? findWrongTypesInWrappers(bodyClass, violations, truncatedBody) : [];
    if (wrongTypes.length === 0) throw new HttpProblem(400, {}, describeWrongTypes(violations, truncatedBody));
    return { body, errors: undefined, wrongTypes };
  }
  return { body, errors: errors.length > 0 ? groupByField(errors) : undefined };
}

function findWrongTypesInWrappers(
  bodyClass: BodyClass,
  violations: readonly ValidationError[],
  rawBody: Readonly<Record<string, unknown>>,
) {
  const wrappers = violations.filter(({ property }) => isWrapper(bodyClass, property));
  return wrappers.flatMap(({ property, children }) => findWrongTypes(children ?? [], rawBody[property]));
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
function messagesOf({ constraints, children }: ValidationError, path: readonly string[]): FieldMessage[] {
  const message = constraints?.['field'];
  if (message !== undefined) return [[path.join('.'), message]];
  return (children ?? []).flatMap((child) => messagesOf(child, [...path, child.property]));
}

function groupByField(errors: readonly FieldMessage[]): FieldErrors {
  const byField: Record<string, string[]> = {};
  for (const [field, message] of errors) (byField[field] ??= []).push(message);
  return byField;
}
