type Json = Readonly<Record<string, unknown>>;

/** One step from a body to a field: a property, or the first entry of a list. */
type Step = string | 0;

export interface BodyField {
  readonly path: readonly Step[];
  readonly schema: Json;
}

/** What the example of a body holds, by field, or by what the field stands in: `items.code`; by `.code` at the top. */
export type ExampleValues = Readonly<Record<string, unknown>>;

/** The bodies of the API reference, field by field. */
export class BodySchema {
  constructor(
    private readonly reference: Json,
    private readonly schema: Json,
  ) {}

  /** Every field, those of nested objects and of the first entry of each list too, and that entry itself. */
  fields(): BodyField[] {
    return this.below(this.schema, []).filter(({ path }) => path.length > 0);
  }

  /** A field of this name in every object of the example, itself one of them. */
  unknownFields(name: string, values: ExampleValues): BodyField[] {
    const example = this.example(values);
    const isThere = (path: readonly Step[]): boolean =>
      path.reduce<unknown>((part, step) => (part as Json | undefined)?.[step], example) !== undefined;
    return this.below(this.schema, [])
      .filter(({ path, schema }) => schema['properties'] !== undefined && isThere(path))
      .map(({ path }) => ({ path: [...path, name], schema: {} }));
  }

  /** The required fields, and all others for which there is a value. */
  example(values: ExampleValues): unknown {
    return this.exampleOf(this.schema, [], values) ?? {};
  }

  /** The example with one field as given; what it stands in is there too. */
  exampleWith({ path }: BodyField, value: unknown, values: ExampleValues): unknown {
    return this.put(this.schema, [], this.example(values), path, value, values);
  }

  /** The fields that take any text. */
  texts(): BodyField[] {
    return this.fields().filter(({ schema: { type, enum: allowed, pattern, format } }) => {
      return [type].flat().includes('string') && !allowed && !pattern && !format;
    });
  }

  private below(schema: Json, path: readonly Step[]): BodyField[] {
    const { properties, items } = this.resolved(schema);
    return [
      { path, schema: this.resolved(schema) },
      ...Object.entries((properties ?? {}) as Json).flatMap(([name, of]) => this.below(of as Json, [...path, name])),
      ...(items ? this.below(items as Json, [...path, 0]) : []),
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
    if (properties === undefined) return isRequired ? plainest(this.resolved(schema)) : undefined;
    const isRequiredHere = (name: string): boolean => isRequired && required.includes(name);
    const entries = Object.entries(properties)
      .map(([name, of]) => [name, this.exampleOf(of as Json, [...path, name], values, isRequiredHere(name))] as const)
      .filter(([, value]) => value !== undefined);
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  }

  private known(path: readonly Step[], values: ExampleValues): unknown {
    const names = path.filter((step) => step !== 0);
    if (names.length === 0 || path.at(-1) === 0) return undefined;
    const place = names.length === 1 ? `.${names[0]}` : names.slice(-2).join('.');
    return values[place] ?? values[names.at(-1) as string];
  }

  private put(
    schema: Json,
    at: readonly Step[],
    body: unknown,
    [step, ...rest]: readonly Step[],
    value: unknown,
    values: ExampleValues,
  ): unknown {
    if (step === undefined) return value;
    const { properties, items } = this.resolved(schema);
    const next = (step === 0 ? items : (properties as Json)[step]) as Json;
    const path = [...at, step];
    if (step === 0) {
      const [first = this.exampleOf(next, path, values)] = (body ?? []) as unknown[];
      return [this.put(next, path, first, rest, value, values)];
    }
    const there = (body ?? {}) as Json;
    return { ...there, [step]: this.put(next, path, there[step], rest, value, values) };
  }

  private resolved(schema: Json): Json {
    const { $ref: reference, anyOf } = schema as { $ref?: string; anyOf?: Json[] };
    if (anyOf) return this.resolved(anyOf.find(({ type }) => type !== 'null') as Json);
    if (reference === undefined) return schema;
    const steps = reference.slice('#/'.length).split('/');
    return this.resolved(steps.reduce<Json>((part, name) => part[name] as Json, this.reference));
  }
}

/** A value that the schema of a field allows, for those that nobody has named a value for. */
function plainest({ type, enum: allowed, minimum = 1 }: Json): unknown {
  if (Array.isArray(allowed)) return allowed[0];
  const [kind] = [type].flat();
  if (kind === 'string') return 'text';
  if (kind === 'integer' || kind === 'number') return Math.max(Number(minimum), 1);
  return kind === 'boolean' ? true : undefined;
}
