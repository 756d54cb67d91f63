import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { buildRoutes } from './all-routes.js';
import { describeEvents } from '../events/index.js';
import { API_VERSION } from '../version.js';
import { buildOpenApiDocument } from '../http/openapi.js';
import { readApiExamples } from '../http/openapi-examples.js';

let reference: Record<string, unknown>;
beforeAll(async () => {
  reference = buildOpenApiDocument(await buildRoutes(), API_VERSION, describeEvents(), readApiExamples());
});

const lintWithRedocly = async (document: object): Promise<string[]> => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: '/openapi.json',
    config,
  });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
};

const lintWithSpectral = async (document: object): Promise<string[]> => {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({ extends: [spectralRulesets.oas as RulesetDefinition] });
  const problems = await spectral.run(document as Record<string, unknown>);
  return problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('.')}`);
};

describe.each([
  ['Redocly', lintWithRedocly, 'no-unresolved-refs'],
  ['Spectral', lintWithSpectral, 'invalid-ref'],
])('the API reference according to %s', (_name, lint, expectedProblem) => {
  it('has no error', async () => {
    expect(await lint(reference)).toEqual([]);
  }, 60_000);

  it('has an error when a schema is missing', async () => {
    const { schemas, ...components } = reference['components'] as { readonly schemas: Record<string, unknown> };
    const { DetailError: _missing, ...otherSchemas } = schemas;
    const problems = await lint({ ...reference, components: { ...components, schemas: otherSchemas } });
    expect(problems.join('\n')).toContain(expectedProblem);
  }, 60_000);
});
