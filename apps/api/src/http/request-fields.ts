import 'reflect-metadata';
import {
  CANT_BE_BLANK,
  IS_INVALID,
  IS_TOO_LONG,
  MALFORMED,
  MUST_BE_POSITIVE,
  checkText,
  isBlank,
  MAX_STRING_LENGTH,
  parseMoment,
} from '@back-office/kernel';
import * as library from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IS_RECORD_ID, IS_WRAPPER, isPlainObject } from './nested-values.js';
import { expectedTypeOf, type ExpectedType } from './wrong-types.js';

// The decorators of class-validator, with the messages of the interface. If a field breaks several rules, the response
// has the message of the first rule in the class. Therefore the rule for the JSON type comes first.
export { Type } from 'class-transformer';
export { IsOptional } from 'class-validator';

/** Maximum of numbers that the database stores in 32 bits. */
export const MAX_INTEGER = 2 ** 31 - 1;

export type Validator = (value: unknown) => string | undefined;
type Schema = Extract<Parameters<typeof JSONSchema>[0], { type?: unknown }>;

export const IsBoolean = (): PropertyDecorator => library.IsBoolean(ofType('boolean'));

export const IsInt = (): PropertyDecorator => library.IsInt(ofType('integer'));

/** Accepts a number of currency units. `minorUnitsOf` checks the decimals later, when the currency is known. */
export const IsNumber = (options: library.IsNumberOptions = {}): PropertyDecorator =>
  library.IsNumber(options, ofType('number'));

export const Min = (min: number): PropertyDecorator =>
  library.Min(min, { message: min === 1 ? MUST_BE_POSITIVE : IS_INVALID });

export const Max = (max: number): PropertyDecorator => library.Max(max, { message: IS_INVALID });

export const IsPositive = (): PropertyDecorator => library.IsPositive({ message: MUST_BE_POSITIVE });

export const Matches = (pattern: RegExp): PropertyDecorator =>
  library.Matches(pattern, {
    message: ({ value }) => (typeof value === 'string' && isBlank(value) ? CANT_BE_BLANK : IS_INVALID),
  });

export function IsIn(values: readonly string[]): PropertyDecorator {
  const messageOf = (value: unknown): string =>
    typeof value !== 'string' ? MALFORMED : isBlank(value) ? CANT_BE_BLANK : IS_INVALID;
  return library.IsIn(values, { message: ({ value }) => messageOf(value ?? ''), context: { type: 'string' } });
}

export const IsNotIn = (values: readonly string[]): PropertyDecorator =>
  library.IsNotIn(values, { message: IS_INVALID });

/**
 * Accepts a text that is not blank. The library would also accept a blank text and a text that databases refuse, and
 * does not count variation selectors.
 */
export const Length = (min: 1, max: number): PropertyDecorator =>
  rule(library.IS_LENGTH, (value) => checkText(value, max, false), { type: 'string' }, { constraints: [min, max] });

/** Accepts also a blank text. */
export const MaxLength = (max: number): PropertyDecorator =>
  rule(library.MAX_LENGTH, (value) => checkText(value, max, true), { type: 'string' }, { constraints: [max] });

const EMAIL = /^[^\s@]+@[^\s@]+$/;
export const EMAIL_OR_BLANK = /^(\s*|[^\s@]+@[^\s@]+)$/;

/** Accepts any text with one `@` and no spaces. The library would refuse some addresses that exist. */
export const IsEmail = (): PropertyDecorator =>
  rule(library.IS_EMAIL, (value) => (library.matches(value as string, EMAIL) ? undefined : IS_INVALID), {
    type: 'string',
  });

export const ArrayNotEmpty = (): PropertyDecorator => library.ArrayNotEmpty({ message: CANT_BE_BLANK });

export const ArrayMaxSize = (max: number): PropertyDecorator => library.ArrayMaxSize(max, { message: IS_TOO_LONG });

/** Accepts an object or, with `each`, a list of objects. `@Type` names the class of the objects. */
export function ValidateNested({ each = false } = {}): PropertyDecorator {
  const isNested = each ? (value: unknown) => Array.isArray(value) && value.every(isPlainObject) : isPlainObject;
  const expectedType = each ? { type: 'array', itemType: 'object' } : { type: 'object' };
  const validate: Validator = (value) => (isNested(value) ? undefined : MALFORMED);
  return combine(library.ValidateNested({ each }), rule('isNested', validate, expectedType));
}

/** Marks the field that contains all other fields. A body without it gets 400, unless the field is optional. */
export const Wrapper = (): PropertyDecorator =>
  rule(IS_WRAPPER, () => undefined, { type: 'object' }, { missing: MALFORMED });

/** Accepts any integer. An integer outside the range of ids matches no record. */
export const IsRecordId = (): PropertyDecorator =>
  rule(IS_RECORD_ID, (value) => (Number.isInteger(value) ? undefined : MALFORMED), { type: 'integer' });

export const IsDateTime = (): PropertyDecorator =>
  ValidatedBy((value) => (typeof value !== 'string' ? MALFORMED : parseMoment(value) ? undefined : IS_INVALID), {
    type: 'string',
  });

/** Accepts a list of texts, of which none is empty. With `canBeSpaces`, a text may consist of spaces. */
export function IsTexts(max: number, maxLength = MAX_STRING_LENGTH, { canBeSpaces = false } = {}): PropertyDecorator {
  const validate: Validator = (value) => {
    if (!Array.isArray(value) || value.some((text) => typeof text !== 'string')) return MALFORMED;
    if (value.length > max) return IS_TOO_LONG;
    return value
      .map((text) => checkText(text, maxLength, canBeSpaces && text !== ''))
      .find((error) => error !== undefined);
  };
  return ValidatedBy(validate, { type: 'array', items: { type: 'string', minLength: 1, maxLength }, maxItems: max });
}

/** Accepts a list of some of the values. An empty list is refused. */
export function IsListOf(values: readonly string[]): PropertyDecorator {
  const validate: Validator = (value) => {
    if (!Array.isArray(value) || !value.every((entry) => typeof entry === 'string')) return MALFORMED;
    const isKnown = value.every((entry) => values.includes(entry));
    return isKnown && value.length > 0 && value.length <= values.length ? undefined : IS_INVALID;
  };
  const items = { type: 'string' as const, enum: [...values] };
  return ValidatedBy(validate, { type: 'array', items, minItems: 1, maxItems: values.length });
}

/** Applies a rule that class-validator lacks. The schema documents the rule. */
export function ValidatedBy(validate: Validator, schema: Schema, missing = CANT_BE_BLANK): PropertyDecorator {
  return combine(rule('own', validate, expectedTypeOf(schema), { missing }), JSONSchema(schema) as PropertyDecorator);
}

/** Marks a field whose presence and type the domain checks, with its own message keys. */
export function ValidatedByDomain(schema: Schema): PropertyDecorator {
  return combine(library.Allow(), JSONSchema(() => schema) as PropertyDecorator);
}

export function orNull(schema: Schema): Schema {
  if ('$ref' in schema) return { anyOf: [schema, { type: 'null' }] };
  const { type, enum: values } = schema as { type?: unknown; enum?: unknown[] };
  return {
    ...schema,
    ...(type !== undefined && { type: [type, 'null'] }),
    ...(values && { enum: [...values, null] }),
  } as Schema;
}

function ofType(type: string): library.ValidationOptions {
  return {
    message: ({ value }) => ((value ?? undefined) === undefined ? CANT_BE_BLANK : MALFORMED),
    context: { type },
  };
}

function rule(
  name: string,
  validate: Validator,
  context: ExpectedType,
  { constraints = [], missing = CANT_BE_BLANK }: { constraints?: unknown[]; missing?: string | undefined } = {},
): PropertyDecorator {
  const errorOf: Validator = (value) => (value === undefined || value === null ? missing : validate(value));
  const validator = {
    validate: (value: unknown) => errorOf(value) === undefined,
    defaultMessage: (validationArguments?: { value?: unknown }) => errorOf(validationArguments?.value) ?? '',
  };
  return library.ValidateBy({ name, constraints, validator }, { context });
}

function combine(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}
