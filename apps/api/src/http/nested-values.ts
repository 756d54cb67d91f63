import { toLookupId } from '@back-office/kernel';
// @ts-expect-error An internal path: the storage of the decorators.
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { ARRAY_MAX_SIZE, getMetadataStorage } from 'class-validator';

type Class = new () => object;
type Json = Readonly<Record<string, unknown>>;

export const IS_WRAPPER = 'isWrapper';
export const IS_RECORD_ID = 'isRecordId';

/** Contains the class of `@Type` for each field. */
export const typeStorage = defaultMetadataStorage as {
  findTypeMetadata(bodyClass: Class, field: string): { readonly typeFunction: () => Class } | undefined;
};

interface Field {
  readonly name: string;
  readonly nestedClass: Class | undefined;
  readonly maxEntries: number;
  readonly rules: ReadonlySet<string | undefined>;
}

const FIELDS_BY_CLASS = new Map<Class, readonly Field[]>();

function fieldsOf(bodyClass: Class): readonly Field[] {
  const fields = FIELDS_BY_CLASS.get(bodyClass) ?? readFields(bodyClass);
  FIELDS_BY_CLASS.set(bodyClass, fields);
  return fields;
}

function readFields(bodyClass: Class): readonly Field[] {
  const storage = getMetadataStorage();
  const rules = storage.getTargetValidationMetadatas(bodyClass, '', false, false);
  return Object.entries(storage.groupByPropertyName(rules)).map(([name, fieldRules]) => ({
    name,
    nestedClass: typeStorage.findTypeMetadata(bodyClass, name)?.typeFunction(),
    maxEntries: Number(fieldRules.find((rule) => rule.name === ARRAY_MAX_SIZE)?.constraints[0] ?? Infinity),
    rules: new Set(fieldRules.map((rule) => rule.name)),
  }));
}

export function wrapperOf(bodyClass: Class): string | undefined {
  return fieldsOf(bodyClass).find(({ rules }) => rules.has(IS_WRAPPER))?.name;
}

/**
 * Makes an instance with the fields of the class, because class-validator finds the rules by the class. class-transformer
 * would also copy the values that have no class, such as rows, and would fail on `{"constructor": 1}`.
 */
export function toInstance<Body extends object>(bodyClass: new () => Body, raw: Json): Body {
  const body = new bodyClass() as Record<string, unknown>;
  for (const field of fieldsOf(bodyClass))
    if (raw[field.name] !== undefined) body[field.name] = readValue(field, raw[field.name]);
  return body as Body;
}

/**
 * Cuts each list of objects to one entry more than its maximum. The list is still refused for its length, but no call
 * waits while a million entries are validated.
 */
function readValue(field: Field, value: unknown): unknown {
  const { nestedClass, maxEntries, rules } = field;
  if (rules.has(IS_RECORD_ID) && Number.isInteger(value)) return toLookupId(value as number);
  if (nestedClass === undefined) return value;
  if (Array.isArray(value)) return value.slice(0, maxEntries + 1).map((entry) => readValue(field, entry));
  return isPlainObject(value) ? toInstance(nestedClass, value) : value;
}

export function isPlainObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
