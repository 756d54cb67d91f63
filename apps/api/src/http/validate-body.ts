import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { HttpProblem, type FieldErrors } from './errors.js';
import { MALFORMED } from './request-fields.js';

export type BodyClass<Body extends object = object> = new () => Body;

export interface Validated<Body> {
  readonly body: Body;
  /** Fields that break a rule; they are reported only when the record of the path exists. */
  readonly errors: FieldErrors | undefined;
}

/** Reads a body as its request class. A value of the wrong JSON type makes the whole request unreadable (400). */
export function validateBody<Body extends object>(bodyClass: BodyClass<Body>, raw: unknown): Validated<Body> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw new HttpProblem(400);
  const body = plainToInstance(bodyClass, raw, { strategy: 'excludeAll', exposeUnsetFields: false });
  const found = validateSync(body, { whitelist: true, validationError: { target: false, value: false } });
  const errors = found.flatMap((error) => messagesOf(error, []));
  if (errors.some(([, message]) => message === MALFORMED)) throw new HttpProblem(400);
  return { body, errors: errors.length > 0 ? grouped(errors) : undefined };
}

type FieldMessage = readonly [field: string, message: string];

function messagesOf({ property, constraints, children }: ValidationError, path: readonly string[]): FieldMessage[] {
  const here = [...path, property];
  const own = constraints?.['field'];
  if (own !== undefined) return [[nameOf(here), own]];
  return (children ?? []).flatMap((child) => messagesOf(child, here));
}

/** A wrapper is not part of a field's name: `payment.amount` is reported as `amount`, `items.0.qty` as it is. */
function nameOf(path: readonly string[]): string {
  const [first = '', second] = path;
  const wrapped = second !== undefined && !/^\d+$/.test(second);
  return (wrapped ? path.slice(1) : [first, ...path.slice(1)]).join('.');
}

function grouped(errors: readonly FieldMessage[]): FieldErrors {
  const byField: Record<string, string[]> = {};
  for (const [field, message] of errors) (byField[field] ??= []).push(message);
  return byField;
}
