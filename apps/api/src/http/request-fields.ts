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
  toLookupId,
  parseMoment,
} from '@back-office/kernel';
import { Expose, Transform, Type } from 'class-transformer';
import { Allow, IsOptional, ValidateBy, ValidateNested } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { expectedTypeOf } from './wrong-types.js';
import { isPlainObject, nestedProperties, registerNested, type Class } from './nested-values.js';

export type Validator = (value: unknown) => string | undefined;
type Schema = Extract<Parameters<typeof JSONSchema>[0], { type?: unknown }>;

export interface Presence {
  readonly optional?: boolean;
}

export interface TextOptions extends Presence {
  readonly max?: number;
  readonly pattern?: RegExp;
}

export function Text({ max = MAX_STRING_LENGTH, pattern, optional }: TextOptions = {}): PropertyDecorator {
  const validate: Validator = (value) => {
    const error = checkText(value, max, optional === true);
    if (error !== undefined || pattern === undefined || pattern.test(String(value))) return error;
    return isBlank(String(value)) ? CANT_BE_BLANK : IS_INVALID;
  };
  return field(validate, { type: 'string', maxLength: max, ...(pattern && { pattern: pattern.source }) }, { optional });
}

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const EMAIL_OR_BLANK = /^(\s*|[^\s@]+@[^\s@]+)$/;

/** An optional e-mail address may be blank. */
export function Email({ optional = false }: Presence = {}): PropertyDecorator {
  const pattern = optional ? EMAIL_OR_BLANK : EMAIL;
  const validate: Validator = (value) =>
    checkText(value, MAX_STRING_LENGTH, optional) ?? (pattern.test(String(value)) ? undefined : IS_INVALID);
  const emailSchema = optional ? { pattern: pattern.source } : { format: 'email' };
  return field(validate, { type: 'string', maxLength: MAX_STRING_LENGTH, ...emailSchema }, { optional });
}

export interface RangeOptions extends Presence {
  readonly min?: number;
  readonly max?: number;
}

export function Whole({ min = -(2 ** 31), max = 2 ** 31 - 1, optional }: RangeOptions = {}): PropertyDecorator {
  const validate: Validator = (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return MALFORMED;
    if (value < min) return min === 1 ? MUST_BE_POSITIVE : IS_INVALID;
    return value > max ? IS_INVALID : undefined;
  };
  return field(validate, { type: 'integer', minimum: min, maximum: max }, { optional });
}

/** Accepts any integer. An integer outside the range of ids matches no record. */
export function RecordId({ optional }: Presence = {}): PropertyDecorator {
  const validate: Validator = (value) => (Number.isInteger(value) ? undefined : MALFORMED);
  const transform = (value: unknown): unknown =>
    typeof value === 'number' && Number.isInteger(value) ? toLookupId(value) : value;
  return field(validate, { type: 'integer' }, { optional }, transform);
}

/** Accepts a number of currency units. `minorUnitsOf` checks the decimals later, when the currency is known. */
export function Amount({ min, optional }: RangeOptions = {}): PropertyDecorator {
  const validate: Validator = (value) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return MALFORMED;
    return min !== undefined && value < min ? IS_INVALID : undefined;
  };
  return field(validate, { type: 'number', ...(min !== undefined && { minimum: min }) }, { optional });
}

export function Flag({ optional }: Presence = {}): PropertyDecorator {
  return field((value) => (typeof value === 'boolean' ? undefined : MALFORMED), { type: 'boolean' }, { optional });
}

export function OneOf(values: readonly string[], { optional }: Presence = {}): PropertyDecorator {
  const validate: Validator = (value) => {
    if (typeof value !== 'string') return MALFORMED;
    return values.includes(value) ? undefined : isBlank(value) ? CANT_BE_BLANK : IS_INVALID;
  };
  return field(validate, { type: 'string', enum: [...values] }, { optional });
}

export function DateTime({ optional }: Presence = {}): PropertyDecorator {
  const validate: Validator = (value) => {
    if (typeof value !== 'string') return MALFORMED;
    return parseMoment(value) ? undefined : IS_INVALID;
  };
  return field(validate, { type: 'string' }, { optional });
}

export interface ListOptions extends Presence {
  readonly max?: number;
}

export interface RecordsOptions extends ListOptions {
  readonly canBeEmpty?: boolean;
}

export interface TextsOptions extends ListOptions {
  /** Maximum length of each text in characters. */
  readonly maxLength?: number;
  /** Whether a text may consist of spaces; an empty text is always refused. */
  readonly canBeSpaces?: boolean;
}

export function Texts(options: TextsOptions = {}): PropertyDecorator {
  const { max = 1_000, maxLength = MAX_STRING_LENGTH, canBeSpaces = false, optional } = options;
  const validate: Validator = (value) => {
    if (!Array.isArray(value) || value.some((text) => typeof text !== 'string')) return MALFORMED;
    if (value.length > max) return IS_TOO_LONG;
    return value
      .map((text) => checkText(text, maxLength, canBeSpaces && text !== ''))
      .find((error) => error !== undefined);
  };
  const items = { type: 'string', minLength: 1, maxLength } as const;
  return field(validate, { type: 'array', items, maxItems: max }, { optional });
}

export function ValidatedBy(validate: Validator, schema: Schema, options: FieldOptions = {}): PropertyDecorator {
  return field(validate, schema, options);
}

export function Nested(getClass: () => Class, { optional }: Presence = {}): PropertyDecorator {
  const documentNull = JSONSchema((schema) => ({ anyOf: [schema, { type: 'null' }] })) as PropertyDecorator;
  return combine(nestedField(getClass, validateObject, {}, { optional }), ...(optional ? [documentNull] : []));
}

/** Marks the field that contains all other fields of the body. A body without it gets 400, unless the field is optional. */
export function Wrapper(getClass: () => Class, { optional }: Presence = {}): PropertyDecorator {
  const markWrapper: PropertyDecorator = (target, property) => Reflect.defineMetadata(WRAPPER, true, target, property);
  if (optional) return combine(Nested(getClass, { optional }), markWrapper);
  return combine(nestedField(getClass, validateObject, {}, { missingMessage: MALFORMED }), markWrapper);
}

const WRAPPER = Symbol('wrapper');

export function isWrapper(bodyClass: Class, property: string): boolean {
  return Reflect.hasMetadata(WRAPPER, bodyClass.prototype as object, property);
}

export function wrapperOf(bodyClass: Class): string | undefined {
  return nestedProperties(bodyClass).find((property) => isWrapper(bodyClass, property));
}

export function ListOf(
  getClass: () => Class,
  { max = 1_000, optional, canBeEmpty = optional }: RecordsOptions = {},
): PropertyDecorator {
  const validate: Validator = (value) => {
    if (!Array.isArray(value) || !value.every(isPlainObject)) return MALFORMED;
    if (value.length === 0 && !canBeEmpty) return CANT_BE_BLANK;
    return value.length > max ? IS_TOO_LONG : undefined;
  };
  return nestedField(getClass, validate, { type: 'array', maxItems: max }, { optional }, { each: true, max });
}

/** Marks a field whose presence and type the domain checks, with its own message keys. */
export function ValidatedByDomain(schema: Schema, { optional }: Presence = {}): PropertyDecorator {
  const decorators = [Allow(), Verbatim(), JSONSchema(schema) as PropertyDecorator];
  return combine(...decorators, ...(optional ? [IsOptional()] : []));
}

const validateObject: Validator = (value) => (isPlainObject(value) ? undefined : MALFORMED);

export function orNull(schema: Schema): Schema {
  const { type, enum: values } = schema as { type?: unknown; enum?: unknown[] };
  return {
    ...schema,
    ...(type !== undefined && { type: [type, 'null'] }),
    ...(values && { enum: [...values, null] }),
  } as Schema;
}

export interface FieldOptions {
  readonly optional?: boolean | undefined;
  readonly missingMessage?: string;
}

function field(validate: Validator, schema: Schema, options: FieldOptions, transform?: (value: unknown) => unknown) {
  return combine(validatedField(validate, schema, options), Verbatim(transform));
}

class Opaque {}

/**
 * Keeps the value unchanged. class-transformer would walk an unknown value, drop some keys and fail on `{"constructor":
 * 1}`. With a class without fields, there is nothing to walk.
 */
function Verbatim(transform = (value: unknown): unknown => value): PropertyDecorator {
  const readValue = ({ obj, key }: { obj: Record<string, unknown>; key: string }): unknown => transform(obj[key]);
  return combine(
    Expose(),
    Type(() => Opaque),
    Transform(readValue),
  );
}

function validatedField(
  validate: Validator,
  schema: Schema,
  { optional, missingMessage = CANT_BE_BLANK }: FieldOptions,
  itemType?: string,
): PropertyDecorator {
  const validatePresent: Validator = (value) =>
    value === undefined || value === null ? missingMessage : validate(value);
  const validator = {
    validate: (value: unknown) => validatePresent(value) === undefined,
    defaultMessage: (validationArguments?: { value?: unknown }) => validatePresent(validationArguments?.value) ?? '',
  };
  const documentedSchema = optional ? orNull(schema) : schema;
  const context = { ...expectedTypeOf(schema), ...(itemType !== undefined && { itemType }) };
  const decorators = [
    ValidateBy({ name: 'field', validator }, { context }),
    JSONSchema(documentedSchema) as PropertyDecorator,
  ];
  return combine(...decorators, ...(optional ? [IsOptional()] : []));
}

function nestedField(
  getClass: () => Class,
  validate: Validator,
  schema: Schema,
  options: FieldOptions,
  { each = false, max = Infinity } = {},
): PropertyDecorator {
  const validated = validatedField(validate, schema, options, each ? 'object' : undefined);
  const decorators = [validated, ValidateNested({ each }), Expose(), Type(getClass)];
  return combine(...decorators, registerNested(getClass, max));
}

function combine(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}
