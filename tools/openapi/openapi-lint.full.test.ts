import { createConfig, lintFromString } from '@redocly/openapi-core';
import { buildRoutes } from '../../apps/api/src/docs/all-routes.js';
import { describeEvents } from '../../apps/api/src/events/index.js';
import { buildOpenApiDocument } from '../../apps/api/src/http/openapi.js';
import { readApiExamples } from '../../apps/api/src/http/openapi-examples.js';
import { API_VERSION } from '../../apps/api/src/version.js';

let reference: Record<string, unknown>;
beforeAll(async () => {
  reference = buildOpenApiDocument(await buildRoutes(), API_VERSION, describeEvents(), readApiExamples());
});

async function lint(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
}

describe('the API reference according to Redocly', () => {
  it('has no error', async () => {
    expect(await lint(reference)).toEqual([]);
  }, 60_000);

  it('has an error when a schema is missing', async () => {
    const { schemas, ...components } = reference['components'] as { readonly schemas: Record<string, unknown> };
    const { DetailError: _missing, ...otherSchemas } = schemas;
    const problems = await lint({ ...reference, components: { ...components, schemas: otherSchemas } });
    expect(problems.join('\n')).toContain('no-unresolved-refs');
  }, 60_000);

  it('has an error when an example breaks its schema', async () => {
    const schema = { type: 'integer' };
    const content = { 'application/json': { schema, example: 'a text' } };
    const responses = { 200: { description: 'A number.', content } };
    const problems = await lint({ ...reference, paths: { '/a': { get: { operationId: 'getA', responses } } } });
    expect(problems.join('\n')).toContain('no-invalid-media-type-examples');
  }, 60_000);
});
