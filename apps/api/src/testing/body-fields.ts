type Json = Readonly<Record<string, unknown>>;

/** One step from a body to a field: a property, or the first entry of a list. */
type Step = string | 0;

export interface BodyField {
  readonly path: readonly Step[];
  readonly schema: Json;
}

/** Values of the example body: by field, by parent and field (`items.code`), or at the top (`.code`). */
export type ExampleValues = Readonly<Record<string, unknown>>;

/** A body of the API reference, field by field. */
export class BodySchema {
  constructor(
    private readonly reference: Json,
    private readonly schema: Json,
  ) {}

  /** Every field, including nested ones and the first entry of each list. */
  fields(): BodyField[] {
    return this.nestedFields(this.schema, []).filter(({ path }) => path.length > 0);
  }

  /** A field of this name in every object of the example. */
  unknownFields(name: string, values: ExampleValues): BodyField[] {
    const example = this.example(values);
    const isPresent = (path: readonly Step[]): boolean =>
      path.reduce<unknown>((part, step) => (part as Json | undefined)?.[step], example) !== undefined;
    return this.nestedFields(this.schema, [])
      .filter(({ path, schema }) => schema['properties'] !== undefined && isPresent(path))
      .map(({ path }) => ({ path: [...path, name], schema: {} }));
  }

  /** The required fields and those with a value. */
  example(values: ExampleValues): unknown {
    return this.exampleOf(this.schema, [], values) ?? {};
  }

  /** The example with one field set, and its parents. */
  exampleWith({ path }: BodyField, value: unknown, values: ExampleValues): unknown {
    return this.put(this.schema, [], this.example(values), path, value, values);
  }

  /** The fields that accept any text. */
  texts(): BodyField[] {
    return this.fields().filter(({ schema: { type, enum: allowed, pattern, format } }) => {
      return [type].flat().includes('string') && !allowed && !pattern && !format;
    });
  }

  private nestedFields(schema: Json, path: readonly Step[]): BodyField[] {
    const { properties, items } = this.resolved(schema);
    return [
      { path, schema: this.resolved(schema) },
      ...Object.entries((properties ?? {}) as Json).flatMap(([name, of]) =>
        this.nestedFields(of as Json, [...path, name]),
      ),
      ...(items ? this.nestedFields(items as Json, [...path, 0]) : []),
    ];
  }

  private exampleOf(schema: Json, path: readonly Step[], values: ExampleValues, isRequired = true): unknown {
    const known = this.known(path, values);
    if (known !== undefined) return known;
    const {
      properties,
      items,
      required = [],
    } = this.resolved(schema) as { properties?: Json; items?: Json; required?: string[] };
    if (items) {
      const entry = this.exampleOf(items, [...path, 0], values, isRequired);
      return entry === undefined ? undefined : [entry];
    }
    if (properties === undefined) return isRequired ? simplestValue(this.resolved(schema)) : undefined;
    const isRequiredHere = (name: string): boolean => isRequired && required.includes(name);
    const entries = Object.entries(properties)
      .map(([name, of]) => [name, this.exampleOf(of as Json, [...path, name], values, isRequiredHere(name))] as const)
      .filter(([, value]) => value !== undefined);
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  }

  private known(path: readonly Step[], values: ExampleValues): unknown {
    const names = path.filter((step) => step !== 0);
    if (names.length === 0 || path.at(-1) === 0) return undefined;
    const parentAndName = names.length === 1 ? `.${names[0]}` : names.slice(-2).join('.');
    return values[parentAndName] ?? values[names.at(-1) as string];
  }

  private put(
    schema: Json,
    parent: readonly Step[],
    body: unknown,
    [step, ...rest]: readonly Step[],
    value: unknown,
    values: ExampleValues,
  ): unknown {
    if (step === undefined) return value;
    const { properties, items } = this.resolved(schema);
    const next = (step === 0 ? items : (properties as Json)[step]) as Json;
    const path = [...parent, step];
    if (step === 0) {
      const [first = this.exampleOf(next, path, values)] = (body ?? []) as unknown[];
      return [this.put(next, path, first, rest, value, values)];
    }
    const object = (body ?? {}) as Json;
    return { ...object, [step]: this.put(next, path, object[step], rest, value, values) };
  }

  private resolved(schema: Json): Json {
    const { $ref: reference, anyOf } = schema as { $ref?: string; anyOf?: Json[] };
    if (anyOf) return this.resolved(anyOf.find(({ type }) => type !== 'null') as Json);
    if (reference === undefined) return schema;
    const steps = reference.slice('#/'.length).split('/');
    return this.resolved(steps.reduce<Json>((part, name) => part[name] as Json, this.reference));
  }
}

/** A value that the schema allows. */
function simplestValue({ type, enum: allowed, minimum = 1 }: Json): unknown {
  if (Array.isArray(allowed)) return allowed[0];
  const [kind] = [type].flat();
  if (kind === 'string') return 'text';
  if (kind === 'integer' || kind === 'number') return Math.max(Number(minimum), 1);
  return kind === 'boolean' ? true : undefined;
}
