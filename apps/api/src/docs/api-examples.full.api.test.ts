import { writeFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { buildOpenApiDocument } from '../http/openapi.js';
import { API_EXAMPLES, readApiExamples, type ApiExamples, type Example } from '../http/openapi-examples.js';
import { PROBLEM_TYPE } from '../http/problem-document.js';
import type { Route } from '../http/route.js';
import { recordApiExamples } from '../testing/api-examples/record.js';
import { API_VERSION } from '../version.js';
import { buildRoutes } from './all-routes.js';

type Content = Readonly<Record<string, { readonly examples?: Readonly<Record<string, Example>> }>>;

interface Operation {
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

const MAX_REFERENCE_BYTES = 1_200_000;

let recorded: ApiExamples;
let routes: readonly Route[];
let reference: Record<string, unknown>;

beforeAll(async () => {
  recorded = await recordApiExamples();
  // `npm run docs` sets this variable.
  if (process.env['WRITE_EXAMPLES'] === '1') await writeFile(API_EXAMPLES, `${JSON.stringify(recorded, null, 2)}\n`);
  routes = await buildRoutes();
  reference = buildOpenApiDocument(routes, API_VERSION, [], readApiExamples());
}, 60_000);

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const pathOf = ({ path }: Route): string => `/api/v2${path.replaceAll(/:(\w+)/g, '{$1}')}`;
const operationOf = (route: Route): Operation =>
  (reference['paths'] as Record<string, Record<string, Operation>>)[pathOf(route)]![route.method]!;
const hasExamples = (content: Content | undefined, type: string): boolean => content?.[type]?.examples !== undefined;
const typesOfRefusals = (route: Route): Set<string> =>
  new Set(
    Object.entries(operationOf(route).responses)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([, { content = {} }]) => Object.keys(content).filter((type) => hasExamples(content, type))),
  );

describe('the examples of the API reference', () => {
  it('are up to date with `npm run docs`', () => {
    expect(readApiExamples()).toEqual(recorded);
  });

  it('show every request body', () => {
    const missing = routes.filter((route) => {
      const { requestBody } = operationOf(route);
      return requestBody && !Object.values(requestBody.content).every(({ examples }) => examples !== undefined);
    });
    expect(missing.map(nameOf)).toEqual([]);
  });

  it('show every success with a body', () => {
    const missing = routes.filter((route) =>
      Object.entries(route.answers).some(([status, shape]) => {
        const { content } = operationOf(route).responses[status] ?? {};
        // The API reference cannot show a PNG, so a PNG answer has no example.
        return shape !== null && !hasExamples(content, route.media ? 'image/svg+xml' : 'application/json');
      }),
    );
    expect(missing.map(nameOf)).toEqual([]);
  });

  it('show a refusal in both error formats for every call with a message key', () => {
    const missing = routes
      .filter(({ refusals = [], missingKey }) => refusals.length > 0 || missingKey !== undefined)
      .filter((route) => {
        const types = typesOfRefusals(route);
        return !types.has('application/json') || !types.has(PROBLEM_TYPE);
      });
    expect(missing.map(nameOf)).toEqual([]);
  });

  it('are all in the API reference, which stays below its maximum size', () => {
    const count = (part: unknown): number => JSON.stringify(part).split('{"summary":').length;
    expect(count(reference['paths'])).toBe(count(recorded));
    expect(JSON.stringify(reference).length).toBeLessThan(MAX_REFERENCE_BYTES);
  });

  it('match their schemas', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    (addFormats as unknown as (target: Ajv2020) => void)(ajv);
    ajv.addSchema(reference, 'reference');
    const escape = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
    const deviationsOf = (pointer: readonly string[], content: Content): string[] =>
      Object.entries(content).flatMap(([type, { examples = {} }]) => {
        const path = [...pointer, 'content', type, 'schema'].map(escape).join('/');
        const check = ajv.compile({ $ref: `reference#/${path}` });
        return Object.values(examples)
          .filter(({ value }) => !check(value))
          .map(({ summary }) => `${path} ${summary}: ${ajv.errorsText(check.errors)}`);
      });
    const deviations = routes.flatMap((route) => {
      const { requestBody, responses } = operationOf(route);
      const pointer = ['paths', pathOf(route), route.method];
      return [
        ...(requestBody ? deviationsOf([...pointer, 'requestBody'], requestBody.content) : []),
        ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
          deviationsOf([...pointer, 'responses', status], content),
        ),
      ];
    });
    expect(deviations).toEqual([]);
  });
});
