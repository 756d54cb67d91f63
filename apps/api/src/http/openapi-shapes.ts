import type { TSchema } from '@sinclair/typebox';
import { REFS } from './openapi-bodies.js';

type Json = Record<string, unknown>;

/** Returns the schema with references, and adds its named parts to `schemas`. */
export function extractNamedShapes(shape: TSchema, schemas: Json, isComponent = false): unknown {
  const { $id: name } = shape;
  if (name !== undefined && !isComponent) {
    if (!(name in schemas)) schemas[name] = extractNamedShapes(shape, schemas, true);
    return { $ref: REFS + name };
  }
  return Object.fromEntries(
    Object.entries(shape)
      .filter(([key]) => key !== '$id')
      .map(([key, value]: [string, unknown]) => [key, extractNamedShapesIn(value, schemas)]),
  );
}

function extractNamedShapesIn(value: unknown, schemas: Json): unknown {
  if (Array.isArray(value)) return value.map((entry) => extractNamedShapesIn(entry, schemas));
  return typeof value === 'object' && value !== null ? extractNamedShapes(value as TSchema, schemas) : value;
}
