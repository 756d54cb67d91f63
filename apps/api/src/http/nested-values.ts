export type Class = abstract new () => object;

interface NestedField {
  readonly property: string;
  readonly of: () => Class;
  /** Maximum number of entries, when the value is a list. */
  readonly max: number;
}

/** By prototype. */
const NESTED = new Map<object, readonly NestedField[]>();

/** Registers a property that holds an object, or a list of objects, of another request class. */
export function registerNested(of: () => Class, max: number): PropertyDecorator {
  return (target, property) => {
    NESTED.set(target, [...(NESTED.get(target) ?? []), { property: String(property), of, max }]);
  };
}

/**
 * The body with each overlong list cut to one entry above its maximum. The list is still refused for its length, but
 * reading and judging a million entries first would block every other call.
 */
export function cutOverlongLists(of: Class, raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const fields = NESTED.get(of.prototype as object) ?? [];
  const cut = fields.map((each) => [each.property, cutValue(each, raw[each.property])] as const);
  const changed = cut.filter(([property, value]) => value !== raw[property]);
  return changed.length === 0 ? raw : { ...raw, ...Object.fromEntries(changed) };
}

function cutValue({ of, max }: NestedField, value: unknown): unknown {
  if (Array.isArray(value)) return value.length > max ? value.slice(0, max + 1) : value;
  return isPlainObject(value) ? cutOverlongLists(of(), value) : value;
}

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
