import 'reflect-metadata';
import { isBlank, isSound, lengthOf, LONGEST_STRING, lookUpId, parseMoment } from '@back-office/kernel';
import { Expose, Transform, Type } from 'class-transformer';
import { Allow, IsOptional, ValidateBy, ValidateNested } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';

/** Message of a value whose JSON type is wrong: the whole request is answered 400. */
export const MALFORMED = 'malformed';
export const CANT_BE_BLANK = "can't be blank";
export const IS_INVALID = 'is invalid';
export const IS_TOO_LONG = 'is too long';
export const MUST_BE_POSITIVE = 'must be greater than 0';
export const ALREADY_TAKEN = 'has already been taken';

/** What is wrong with a value that was sent, or `undefined`. */
export type Judge = (value: unknown) => string | undefined;
type Schema = Extract<Parameters<typeof JSONSchema>[0], { type?: unknown }>;

export interface Presence {
  /** May be absent or null. */
  readonly optional?: boolean;
}

export interface TextOptions extends Presence {
  readonly max?: number;
  /** What the whole text has to match. */
  readonly pattern?: RegExp;
}

export function Text({ max = LONGEST_STRING, pattern, optional }: TextOptions = {}): PropertyDecorator {
  const judge: Judge = (value) => {
    const wrong = judgeText(value, max, optional === true);
    if (wrong !== undefined || pattern === undefined || pattern.test(String(value))) return wrong;
    return isBlank(String(value)) ? CANT_BE_BLANK : IS_INVALID;
  };
  return field(judge, { type: 'string', maxLength: max, ...(pattern && { pattern: pattern.source }) }, { optional });
}

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const EMAIL_OR_BLANK = /^(\s*|[^\s@]+@[^\s@]+)$/;

/** An optional one may be blank, as every optional text may. */
export function Email({ optional = false }: Presence = {}): PropertyDecorator {
  const pattern = optional ? EMAIL_OR_BLANK : EMAIL;
  const judge: Judge = (value) =>
    judgeText(value, LONGEST_STRING, optional) ?? (pattern.test(String(value)) ? undefined : IS_INVALID);
  const form = optional ? { pattern: pattern.source } : { format: 'email' };
  return field(judge, { type: 'string', maxLength: LONGEST_STRING, ...form }, { optional });
}

export function judgeText(value: unknown, max: number, blankAllowed: boolean): string | undefined {
  if (typeof value !== 'string') return MALFORMED;
  if (!blankAllowed && isBlank(value)) return CANT_BE_BLANK;
  if (!isSound(value)) return IS_INVALID;
  return value.length > max && lengthOf(value) > max ? IS_TOO_LONG : undefined;
}

export interface RangeOptions extends Presence {
  readonly min?: number;
  readonly max?: number;
}

export function Whole({ min = -(2 ** 31), max = 2 ** 31 - 1, optional }: RangeOptions = {}): PropertyDecorator {
  const judge: Judge = (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return MALFORMED;
    if (value < min) return min === 1 ? MUST_BE_POSITIVE : IS_INVALID;
    return value > max ? IS_INVALID : undefined;
  };
  return field(judge, { type: 'integer', minimum: min, maximum: max }, { optional });
}

/** The id of a record: any whole number is well formed, one that no record can have finds nothing. */
export function RecordId({ optional }: Presence = {}): PropertyDecorator {
  const judge: Judge = (value) => (Number.isInteger(value) ? undefined : MALFORMED);
  const read = (value: unknown): unknown =>
    typeof value === 'number' && Number.isInteger(value) ? lookUpId(value) : value;
  return field(judge, { type: 'integer' }, { optional }, read);
}

/** A JSON number in the currency; how many decimals it may have is the currency's matter, see `minorOf`. */
export function Amount({ min, optional }: RangeOptions = {}): PropertyDecorator {
  const judge: Judge = (value) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return MALFORMED;
    return min !== undefined && value < min ? IS_INVALID : undefined;
  };
  return field(judge, { type: 'number', ...(min !== undefined && { minimum: min }) }, { optional });
}

export function Flag({ optional }: Presence = {}): PropertyDecorator {
  return field((value) => (typeof value === 'boolean' ? undefined : MALFORMED), { type: 'boolean' }, { optional });
}

export function OneOf(values: readonly string[], { optional }: Presence = {}): PropertyDecorator {
  const judge: Judge = (value) => {
    if (typeof value !== 'string') return MALFORMED;
    return values.includes(value) ? undefined : isBlank(value) ? CANT_BE_BLANK : IS_INVALID;
  };
  return field(judge, { type: 'string', enum: [...values] }, { optional });
}

export function DateTime({ optional }: Presence = {}): PropertyDecorator {
  const judge: Judge = (value) => {
    if (typeof value !== 'string') return MALFORMED;
    return parseMoment(value) ? undefined : IS_INVALID;
  };
  return field(judge, { type: 'string' }, { optional });
}

export interface ListOptions extends Presence {
  readonly max?: number;
}

export interface RecordsOptions extends ListOptions {
  /** Must be there, but may be empty. */
  readonly mayBeEmpty?: boolean;
}

export interface TextsOptions extends ListOptions {
  /** Most characters of each text. */
  readonly longest?: number;
  /** Texts of nothing but spaces count as texts; empty ones never do. */
  readonly spaces?: boolean;
}

export function Texts(options: TextsOptions = {}): PropertyDecorator {
  const { max = 1_000, longest = LONGEST_STRING, spaces = false, optional } = options;
  const judge: Judge = (value) => {
    if (!Array.isArray(value) || value.some((each) => typeof each !== 'string')) return MALFORMED;
    if (value.length > max) return IS_TOO_LONG;
    return value.map((each) => judgeText(each, longest, spaces && each !== '')).find((wrong) => wrong !== undefined);
  };
  const items = { type: 'string', minLength: 1, maxLength: longest } as const;
  return field(judge, { type: 'array', items, maxItems: max }, { optional });
}

/** A field that only the feature it belongs to can judge. */
export function JudgedBy(judge: Judge, schema: Schema, options: FieldOptions = {}): PropertyDecorator {
  return field(judge, schema, options);
}

type Class = abstract new () => object;

export function Nested(of: () => Class, { optional }: Presence = {}): PropertyDecorator {
  const shownOrNull = JSONSchema((own) => ({ anyOf: [own, { type: 'null' }] })) as PropertyDecorator;
  return together(nested(of, isPlainObject, {}, { optional }), ...(optional ? [shownOrNull] : []));
}

/** The object that a body is wrapped in. Without it the request cannot be read. */
export function Wrapper(of: () => Class): PropertyDecorator {
  const marked: PropertyDecorator = (target, property) => Reflect.defineMetadata(WRAPPER, true, target, property);
  return together(nested(of, isPlainObject, {}, { missing: MALFORMED }), marked);
}

const WRAPPER = Symbol('wrapper');

/** Whether the property of a request class is its {@link Wrapper}. */
export function isWrapper(bodyClass: Class, property: string): boolean {
  return Reflect.hasMetadata(WRAPPER, bodyClass.prototype as object, property);
}

export function ListOf(
  of: () => Class,
  { max = 1_000, optional, mayBeEmpty = optional }: RecordsOptions = {},
): PropertyDecorator {
  const judge: Judge = (value) => {
    if (!Array.isArray(value) || value.some(isPlainObject)) return MALFORMED;
    if (value.length === 0 && !mayBeEmpty) return CANT_BE_BLANK;
    return value.length > max ? IS_TOO_LONG : undefined;
  };
  return nested(of, judge, { type: 'array', maxItems: max }, { optional }, { each: true, max });
}

/** A field whose rules, types and presence included, belong to the domain, which answers by a key of its own. */
export function Unjudged(schema: Schema, { optional }: Presence = {}): PropertyDecorator {
  const decorators = [Allow(), AsSent(), JSONSchema(schema) as PropertyDecorator];
  return together(...decorators, ...(optional ? [IsOptional()] : []));
}

function isPlainObject(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : MALFORMED;
}

/** An optional field may be sent as null, which is the same as not sending it. */
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
  /** What is said of a required value that is absent or null. */
  readonly missing?: string;
}

function field(judge: Judge, schema: Schema, options: FieldOptions, read?: (value: unknown) => unknown) {
  return together(judged(judge, schema, options), AsSent(read));
}

class Opaque {}

/**
 * Takes the value as it is. class-transformer walks every value whose class it does not know: it would drop some keys
 * of it, and `{"constructor": 1}` would be a 500. It finds nothing to walk in a class without fields.
 */
function AsSent(read = (value: unknown): unknown => value): PropertyDecorator {
  const untouched = ({ obj, key }: { obj: Record<string, unknown>; key: string }): unknown => read(obj[key]);
  return together(
    Expose(),
    Type(() => Opaque),
    Transform(untouched),
  );
}

function judged(judge: Judge, schema: Schema, { optional, missing = CANT_BE_BLANK }: FieldOptions): PropertyDecorator {
  const verdict: Judge = (value) => (value === undefined || value === null ? missing : judge(value));
  const validator = {
    validate: (value: unknown) => verdict(value) === undefined,
    defaultMessage: (args?: { value?: unknown }) => verdict(args?.value) ?? '',
  };
  const shown = optional ? orNull(schema) : schema;
  const context = { type: (schema as { type?: unknown }).type ?? 'object' };
  const decorators = [ValidateBy({ name: 'field', validator }, { context }), JSONSchema(shown) as PropertyDecorator];
  return together(...decorators, ...(optional ? [IsOptional()] : []));
}

function nested(
  of: () => Class,
  judge: Judge,
  schema: Schema,
  options: FieldOptions,
  { each = false, max = Infinity } = {},
): PropertyDecorator {
  const remember: PropertyDecorator = (target, property) => {
    NESTED.set(target, [...(NESTED.get(target) ?? []), { property: String(property), of, max }]);
  };
  return together(judged(judge, schema, options), ValidateNested({ each }), Expose(), Type(of), remember);
}

interface NestedField {
  readonly property: string;
  readonly of: () => Class;
  /** Most entries of a list. */
  readonly max: number;
}

/** By prototype. */
const NESTED = new Map<object, readonly NestedField[]>();

/**
 * The body with its overlong lists cut to one entry more than is allowed. They are refused for their length all the
 * same, but reading and judging a million entries first would keep every other call waiting.
 */
export function withoutExcess(of: Class, raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const lists = NESTED.get(of.prototype as object) ?? [];
  const cut = lists.map((each) => [each.property, cutValue(each, raw[each.property])] as const);
  const changed = cut.filter(([property, value]) => value !== raw[property]);
  return changed.length === 0 ? raw : { ...raw, ...Object.fromEntries(changed) };
}

function cutValue({ of, max }: NestedField, value: unknown): unknown {
  if (Array.isArray(value)) return value.length > max ? value.slice(0, max + 1) : value;
  return isPlainObject(value) === undefined ? withoutExcess(of(), value as Record<string, unknown>) : value;
}

function together(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}
