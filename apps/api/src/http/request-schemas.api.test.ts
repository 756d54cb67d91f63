import { testApi, type TestApi } from '../testing/test-api.js';

type Json = Record<string, unknown>;
interface Schema extends Json {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}
interface Reference extends Json {
  readonly paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

let api: TestApi;
let reference: Reference;
beforeAll(async () => {
  api = await testApi();
  reference = (await (await fetch(`${api.origin}/openapi.json`)).json()) as Reference;
});
afterAll(() => api.close());

const bodiesOf = (type: string): Schema[] =>
  Object.values(reference.paths)
    .flatMap((calls) => Object.values(calls))
    .map(({ requestBody }) => requestBody?.content[type]?.schema)
    .filter((schema) => schema !== undefined);

function schemasIn(schema: unknown, visited = new Set<unknown>()): Schema[] {
  if (typeof schema !== 'object' || schema === null || visited.has(schema)) return [];
  visited.add(schema);
  const name = (schema as { $ref?: string }).$ref?.replace('#/components/schemas/', '');
  const target = name === undefined ? [] : schemasIn(reference.components.schemas[name], visited);
  return [schema as Schema, ...target, ...Object.values(schema).flatMap((part) => schemasIn(part, visited))];
}

describe('forms in the reference', () => {
  it('are plain objects that contain the file and the other fields', () => {
    const forms = bodiesOf('multipart/form-data');
    expect(forms.map(({ properties }) => Object.keys(properties ?? {}))).toEqual([
      expect.arrayContaining(['file', 'folder', 'name', 'alt', 'caption', 'tags', 'preset_id', 'on_conflict']),
      expect.arrayContaining(['file', 'cache_strategy']),
    ]);
    for (const form of forms) {
      expect(form).not.toHaveProperty('$ref');
      expect(form).toMatchObject({
        type: 'object',
        required: expect.arrayContaining(['file']),
        properties: { file: { type: 'string', format: 'binary' } },
      });
    }
  });
});

describe('a field of a form in the reference', () => {
  it('has a single type, because generated clients cannot send a field of several types', () => {
    const fields = bodiesOf('multipart/form-data').flatMap(({ properties }) => Object.values(properties ?? {}));
    expect(fields.length).toBeGreaterThan(10);
    const typesOf = ({ type }: Schema): unknown[] => [type].flat().filter((name) => name !== 'null');
    expect(fields.filter((field) => typesOf(field).length !== 1 || typesOf(field)[0] === undefined)).toEqual([]);
  });
});

describe('request bodies in the reference', () => {
  it('have no defaults, because generators treat fields with a default as required', () => {
    const schemas = [...bodiesOf('application/json'), ...bodiesOf('multipart/form-data')].flatMap((body) =>
      schemasIn(body),
    );
    expect(schemas.length).toBeGreaterThan(500);
    expect(schemas.filter((schema) => 'default' in schema)).toEqual([]);
  });

  it('are each used by a call', () => {
    const text = JSON.stringify(reference);
    const names = Object.keys(reference.components.schemas);
    expect(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([]);
  });
});
