import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { HttpProblem, type FieldErrors } from './errors.js';
import { cutOverlongLists, isPlainObject } from './nested-values.js';
import { isWrapper } from './request-fields.js';
import { MALFORMED } from '@back-office/kernel';
import { wrongTypesBelow } from './wrong-types.js';

export type BodyClass<Body extends object = object> = new () => Body;

export interface Validated<Body> {
  readonly body: Body;
  /** Invalid fields, reported only when the record of the path exists. */
  readonly errors: FieldErrors | undefined;
  /** Values of wrong JSON types, for routes that name them. */
  readonly wrongTypes?: ReturnType<typeof wrongTypesBelow>;
}

/** Reads a body as its request class. Throws 400 for a value of the wrong JSON type. */
export function validateBody<Body extends object>(
  bodyClass: BodyClass<Body>,
  raw: unknown,
  namesWrongTypes = false,
): Validated<Body> {
  if (!isPlainObject(raw)) throw new HttpProblem(400);
  const sent = cutOverlongLists(bodyClass, raw);
  const body = plainToInstance(bodyClass, sent, { strategy: 'excludeAll', exposeUnsetFields: false });
  const found = validateSync(body, { whitelist: true, validationError: { target: false, value: false } });
  const errors = found.flatMap((error) =>
    messagesOf(error, isWrapper(bodyClass, error.property) ? [] : [error.property]),
  );
  if (errors.some(([, message]) => message === MALFORMED)) {
    const wrongTypes = namesWrongTypes ? belowWrappers(bodyClass, found, sent) : [];
    if (wrongTypes.length === 0) throw new HttpProblem(400);
    return { body, errors: undefined, wrongTypes };
  }
  return { body, errors: errors.length > 0 ? grouped(errors) : undefined };
}

function belowWrappers(
  bodyClass: BodyClass,
  found: readonly ValidationError[],
  sent: Readonly<Record<string, unknown>>,
) {
  const wrappers = found.filter(({ property }) => isWrapper(bodyClass, property));
  return wrappers.flatMap(({ property, children }) => wrongTypesBelow(children ?? [], sent[property]));
}

type FieldMessage = readonly [field: string, message: string];

/** Messages at the path and below. The wrapper is not part of a path: `payment.amount` is reported as `amount`. */
function messagesOf({ constraints, children }: ValidationError, path: readonly string[]): FieldMessage[] {
  const own = constraints?.['field'];
  if (own !== undefined) return [[path.join('.'), own]];
  return (children ?? []).flatMap((child) => messagesOf(child, [...path, child.property]));
}

function grouped(errors: readonly FieldMessage[]): FieldErrors {
  const byField: Record<string, string[]> = {};
  for (const [field, message] of errors) (byField[field] ??= []).push(message);
  return byField;
}
