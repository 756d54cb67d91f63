import type { TSchema } from '@sinclair/typebox';
import { SCHEMA_REF_PREFIX } from './openapi-bodies.js';

type Json = Record<string, unknown>;

/** Returns the schema with references to its named parts, and adds these parts to `schemas`. */
export function extractNamedShapes(shape: TSchema, schemas: Json, isComponent = false): unknown {
  const { $id: name } = shape;
  if (name !== undefined && !isComponent) {
    if (!(name in schemas)) schemas[name] = extractNamedShapes(shape, schemas, true);
    return { $ref: SCHEMA_REF_PREFIX + name };
  }
  const entries = Object.entries(shape)
    .filter(([key]) => key !== '$id')
    .map(([key, value]: [string, unknown]) => [key, extractNamedShapesIn(value, schemas)]);
  return joinTypes(Object.fromEntries(entries) as Json);
}

function extractNamedShapesIn(value: unknown, schemas: Json): unknown {
  if (Array.isArray(value)) return value.map((entry) => extractNamedShapesIn(entry, schemas));
  return typeof value === 'object' && value !== null ? extractNamedShapes(value as TSchema, schemas) : value;
}

/**
 * Replaces `anyOf` of a plain type and null by one schema with two types, because code generators support this better.
 */
function joinTypes(schema: Json): Json {
  const { anyOf, ...others } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [value, none] = anyOf as [Json, Json];
  if (none['type'] !== 'null' || typeof value['type'] !== 'string' || 'const' in value) return schema;
  const { enum: values } = value as { enum?: readonly unknown[] };
  return { ...value, ...others, type: [value['type'], 'null'], ...(values && { enum: [...values, null] }) };
}

/**
 * Adds the schema of a body to `schemas` and returns a reference. The name comes from the record, or else from the
 * operation.
 */
export function registerBodySchema(schema: unknown, operationName: string, schemas: Json): Json {
  const [name, otherName] = [recordNameOf(schema) ?? operationName, operationName].map((part) => `${part}Response`) as [
    string,
    string,
  ];
  const isFree = !(name in schemas) || JSON.stringify(schemas[name]) === JSON.stringify(schema);
  const freeName = isFree ? name : otherName;
  if (!isFree && otherName in schemas) throw new Error(`Two response bodies are named ${otherName}`);
  schemas[freeName] = schema;
  return { $ref: SCHEMA_REF_PREFIX + freeName };
}

/** Returns `Order` for `{data: Order}` and `OrderPage` for `{data: [OrderInList]}`. */
function recordNameOf(schema: unknown): string | undefined {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, Json>> };
  const { data, ...others } = properties;
  if (data === undefined || Object.keys(others).length > 0) return undefined;
  const refOf = ({ $ref }: Json): string | undefined => ($ref as string | undefined)?.slice(SCHEMA_REF_PREFIX.length);
  const { items } = data as { items?: Json };
  const itemName = items && refOf(items);
  return itemName === undefined ? refOf(data) : `${itemName.replace(/InList$/, '')}Page`;
}
