import { ARRAY_NOT_EMPTY, getMetadataStorage, IS_LENGTH, IS_NOT_IN, ValidationTypes } from 'class-validator';
import { validationMetadatasToSchemas } from 'class-validator-jsonschema';
import { IS_RECORD_ID, typeStorage } from './nested-values.js';
import { orNull } from './request-fields.js';
import type { Route } from './route.js';

type Json = Record<string, unknown>;

export const SCHEMA_REF_PREFIX = '#/components/schemas/';

export function describeRequestBody({ body, upload, bodyOptional }: Route, schemas: Json): Json {
  const name = body?.name ?? '';
  if (upload) return { required: true, content: { 'multipart/form-data': { schema: addFile(schemas[name] as Json) } } };
  return { required: !bodyOptional, content: { 'application/json': { schema: { $ref: SCHEMA_REF_PREFIX + name } } } };
}

/** Adds the file to a copy of the schema, because code generators ignore properties beside a `$ref`. */
function addFile({ properties, required = [], ...form }: Json): Json {
  const file = { type: 'string', format: 'binary', description: 'the file itself' };
  return { ...form, properties: { file, ...(properties as Json) }, required: ['file', ...(required as string[])] };
}

export function removeUnused(schemas: Json, paths: Json): Json {
  const usedNames = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (usedNames.has(name)) continue;
      usedNames.add(name);
      follow(schemas[name]);
    }
  };
  follow(paths);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => usedNames.has(name)));
}

export function generateBodySchemas(): Json {
  assertOneClassPerName();
  const schemas = validationMetadatasToSchemas({
    classTransformerMetadataStorage: typeStorage as never,
    refPointerPrefix: SCHEMA_REF_PREFIX,
    additionalConverters: {
      // Each own rule declares its schema, because reflection knows only the type "Object".
      [ValidationTypes.CUSTOM_VALIDATION]: {},
      [ValidationTypes.CONDITIONAL_VALIDATION]: { nullable: true },
      [IS_LENGTH]: ({ constraints }) => ({ type: 'string', maxLength: constraints[1] as number }),
      [ARRAY_NOT_EMPTY]: {},
      [IS_NOT_IN]: ({ constraints }) => ({ not: { enum: constraints[0] as string[] } }),
      [IS_RECORD_ID]: { type: 'integer' },
    },
  });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, documentNull(schema as Json)]));
}

/** The converter of the library writes `nullable`, which OpenAPI 3.1 no longer has. */
function documentNull({ properties, ...schema }: Json): Json {
  const fields = Object.entries(properties as Readonly<Record<string, Json>>);
  const documented = fields.map(([name, { nullable, ...field }]) => [name, nullable ? orNull(field) : field]);
  return { properties: Object.fromEntries(documented), ...schema };
}

/** The API reference names a body after its class, so two classes must not have the same name. */
function assertOneClassPerName(): void {
  const { validationMetadatas } = getMetadataStorage() as unknown as {
    validationMetadatas: ReadonlyMap<{ readonly name: string }, unknown>;
  };
  const names = [...validationMetadatas.keys()].map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw new Error(`Two request bodies are named ${duplicate}`);
}
