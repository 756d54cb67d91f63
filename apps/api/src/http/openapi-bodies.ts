// @ts-expect-error An internal path: the storage of the decorators.
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { validationMetadatasToSchemas } from 'class-validator-jsonschema';
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
  const classTransformerMetadataStorage = defaultMetadataStorage as never;
  // Each custom field declares its own schema, because reflection knows only the type "Object".
  const additionalConverters = { [ValidationTypes.CUSTOM_VALIDATION]: {} };
  return validationMetadatasToSchemas({
    classTransformerMetadataStorage,
    refPointerPrefix: SCHEMA_REF_PREFIX,
    additionalConverters,
  });
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
