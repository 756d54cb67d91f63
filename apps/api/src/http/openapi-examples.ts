import { readFileSync } from 'node:fs';
import type { Route } from './route.js';

type Json = Record<string, unknown>;

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

type Examples = Readonly<Record<string, Example>>;

export interface OperationExamples {
  readonly request?: Examples;
  /** Examples by status, then by media type. */
  readonly responses: Readonly<Record<string, Readonly<Record<string, Examples>>>>;
}

/** Examples by method and path, such as `get /orders/:id`. */
export type ApiExamples = Readonly<Record<string, OperationExamples>>;

/** File that `npm run docs` writes from real calls to the service. */
export const API_EXAMPLES = new URL('../../src/docs/api-examples.json', import.meta.url);

/** Reads the file on demand. Only the API reference needs it, and reading it at the start would delay the start. */
export function readApiExamples(): ApiExamples {
  return JSON.parse(readFileSync(API_EXAMPLES, 'utf8')) as ApiExamples;
}

export function addExamples(operation: Json, { method, path }: Route, examples: ApiExamples): Json {
  const found = examples[`${method} ${path}`];
  if (found === undefined) return operation;
  const { requestBody, responses } = operation as { requestBody?: Json; responses: Record<string, Json> };
  const withExamples = Object.entries(responses).map(([status, response]) => [
    status,
    addToContent(response, found.responses[status] ?? {}),
  ]);
  return {
    ...operation,
    ...(requestBody && { requestBody: addToContents(requestBody, found.request) }),
    responses: Object.fromEntries(withExamples) as Json,
  };
}

function addToContents(body: Json, examples: Examples | undefined): Json {
  if (examples === undefined) return body;
  const types = Object.keys(body['content'] as Json);
  return addToContent(body, Object.fromEntries(types.map((type) => [type, examples])));
}

function addToContent(part: Json, examplesByType: Readonly<Record<string, Examples>>): Json {
  const content = part['content'] as Record<string, Json> | undefined;
  if (content === undefined) return part;
  const entries = Object.entries(content).map(([type, media]) => {
    const examples = examplesByType[type];
    return [type, examples ? { ...media, examples } : media];
  });
  return { ...part, content: Object.fromEntries(entries) as Json };
}
