type Json = Readonly<Record<string, unknown>>;

/** A property name, or 0 for the first entry of a list. */
type PathStep = string | 0;

export interface BodyField {
  readonly path: readonly PathStep[];
  readonly schema: Json;
}

/** Values of the example body. A key is `field`, `parent.field`, or `.field` for a top-level field. */
export type ExampleValues = Readonly<Record<string, unknown>>;

export class BodySchema {
  constructor(
    private readonly reference: Json,
    private readonly schema: Json,
  ) {}

  /** Returns every field, including nested fields and the first entry of each list. */
  fields(): BodyField[] {
    return this.nestedFields(this.schema, []).filter(({ path }) => path.length > 0);
  }

  /** Returns a field of this name for each object in the example body. */
  unknownFields(name: string, values: ExampleValues): BodyField[] {
    const example = this.example(values);
    const isPresent = (path: readonly PathStep[]): boolean =>
      path.reduce<unknown>((part, step) => (part as Json | undefined)?.[step], example) !== undefined;
    return this.nestedFields(this.schema, [])
      .filter(({ path, schema }) => schema['properties'] !== undefined && isPresent(path))
      .map(({ path }) => ({ path: [...path, name], schema: {} }));
  }

  /** Returns a body with all required fields and all fields that `values` contains. */
  example(values: ExampleValues): unknown {
    return this.exampleOf(this.schema, [], values) ?? {};
  }

  /** Returns the example body with the field set, including the objects around the field. */
  exampleWith({ path }: BodyField, value: unknown, values: ExampleValues): unknown {
    return this.withValueAt(this.schema, [], this.example(values), path, value, values);
  }

  /** Returns the fields that accept any text. */
  textFields(): BodyField[] {
    return this.fields().filter(({ schema: { type, enum: options, pattern, format } }) => {
      return [type].flat().includes('string') && !options && !pattern && !format;
    });
  }

  private nestedFields(schema: Json, path: readonly PathStep[]): BodyField[] {
    const { properties, items } = this.resolve(schema);
    return [
      { path, schema: this.resolve(schema) },
      ...Object.entries((properties ?? {}) as Json).flatMap(([name, property]) =>
        this.nestedFields(property as Json, [...path, name]),
      ),
      ...(items ? this.nestedFields(items as Json, [...path, 0]) : []),
    ];
  }

  private exampleOf(schema: Json, path: readonly PathStep[], values: ExampleValues, isRequired = true): unknown {
    const exampleValue = this.exampleValueAt(path, values);
    if (exampleValue !== undefined) return exampleValue;
    const {
      properties,
      items,
      required = [],
    } = this.resolve(schema) as { properties?: Json; items?: Json; required?: string[] };
    if (items) {
      const entry = this.exampleOf(items, [...path, 0], values, isRequired);
      return entry === undefined ? undefined : [entry];
    }
    if (properties === undefined) return isRequired ? simplestValue(this.resolve(schema)) : undefined;
    const isRequiredHere = (name: string): boolean => isRequired && required.includes(name);
    const entries = Object.entries(properties)
      .map(
        ([name, property]) =>
          [name, this.exampleOf(property as Json, [...path, name], values, isRequiredHere(name))] as const,
      )
      .filter(([, value]) => value !== undefined);
    if (entries.length === 0) return undefined;
    // If an optional object has any field, all its required fields are added.
    const missing = required.filter((name) => !entries.some(([known]) => known === name));
    const added = missing.map(
      (name) => [name, this.exampleOf(properties[name] as Json, [...path, name], values)] as const,
    );
    return Object.fromEntries([...entries, ...added]);
  }

  private exampleValueAt(path: readonly PathStep[], values: ExampleValues): unknown {
    const names = path.filter((step) => step !== 0);
    if (names.length === 0 || path.at(-1) === 0) return undefined;
    const parentAndName = names.length === 1 ? `.${names[0]}` : names.slice(-2).join('.');
    return values[parentAndName] ?? values[names.at(-1) as string];
  }

  private withValueAt(
    schema: Json,
    parent: readonly PathStep[],
    body: unknown,
    [step, ...remainingPath]: readonly PathStep[],
    value: unknown,
    values: ExampleValues,
  ): unknown {
    if (step === undefined) return value;
    const { properties, items } = this.resolve(schema);
    const nextSchema = (step === 0 ? items : (properties as Json)[step]) as Json;
    const path = [...parent, step];
    if (step === 0) {
      const [firstEntry = this.exampleOf(nextSchema, path, values)] = (body ?? []) as unknown[];
      return [this.withValueAt(nextSchema, path, firstEntry, remainingPath, value, values)];
    }
    const object = (body ?? {}) as Json;
    return { ...object, [step]: this.withValueAt(nextSchema, path, object[step], remainingPath, value, values) };
  }

  private resolve(schema: Json): Json {
    const { $ref: reference, anyOf } = schema as { $ref?: string; anyOf?: Json[] };
    if (anyOf) return this.resolve(anyOf.find(({ type }) => type !== 'null') as Json);
    if (reference === undefined) return schema;
    const steps = reference.slice('#/'.length).split('/');
    return this.resolve(steps.reduce<Json>((part, name) => part[name] as Json, this.reference));
  }
}

function simplestValue({ type, enum: options, minimum = 1 }: Json): unknown {
  if (Array.isArray(options)) return options[0];
  const [kind] = [type].flat();
  if (kind === 'string') return 'text';
  if (kind === 'integer' || kind === 'number') return Math.max(Number(minimum), 1);
  return kind === 'boolean' ? true : undefined;
}
