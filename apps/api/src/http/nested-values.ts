export type Class = abstract new () => object;

interface NestedField {
  readonly property: string;
  readonly getClass: () => Class;
  readonly max: number;
}

const FIELDS_BY_PROTOTYPE = new Map<object, readonly NestedField[]>();

/** Notes the class of a nested object, and the maximum number of objects if the field is a list. */
export function registerNested(getClass: () => Class, max: number): PropertyDecorator {
  return (target, property) => {
    FIELDS_BY_PROTOTYPE.set(target, [
      ...(FIELDS_BY_PROTOTYPE.get(target) ?? []),
      { property: String(property), getClass, max },
    ]);
  };
}

export function nestedProperties(bodyClass: Class): readonly string[] {
  return (FIELDS_BY_PROTOTYPE.get(bodyClass.prototype as object) ?? []).map(({ property }) => property);
}

/**
 * Cuts each list to one entry more than its maximum. The list is still refused for its length, but no call waits while
 * a million entries are validated.
 */
export function truncateOverlongLists(
  bodyClass: Class,
  raw: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const fields = FIELDS_BY_PROTOTYPE.get(bodyClass.prototype as object) ?? [];
  const truncatedFields = fields.map((field) => [field.property, truncateValue(field, raw[field.property])] as const);
  const changedFields = truncatedFields.filter(([property, value]) => value !== raw[property]);
  return changedFields.length === 0 ? raw : { ...raw, ...Object.fromEntries(changedFields) };
}

function truncateValue({ getClass, max }: NestedField, value: unknown): unknown {
  if (Array.isArray(value)) return value.length > max ? value.slice(0, max + 1) : value;
  return isPlainObject(value) ? truncateOverlongLists(getClass(), value) : value;
}

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
