import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { buildOpenApiDocument } from '../http/openapi.js';
import { PROBLEM_TYPE } from '../http/problem-document.js';
import { REQUEST_PROBLEMS, TEXT_KEYS } from '../http/problems.js';
import type { Route } from '../http/route.js';
import { API_VERSION } from '../version.js';

interface DocumentedResponse {
  readonly $ref?: string;
  readonly content?: unknown;
  readonly 'x-error-keys'?: readonly string[];
  /** Failures that a `default` response describes, by status. */
  readonly 'x-failures'?: Readonly<Record<string, { readonly schema: string; readonly keys: readonly string[] }>>;
}

interface Operation {
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly requestBody: unknown;
  readonly status: number;
  readonly text: string;
}

let cachedConformance: Conformance | undefined;

/** Returns a shared object, because schemas compile slowly and all services have the same routes. */
export function conformanceOf(routes: readonly Route[]): Conformance {
  return (cachedConformance ??= new Conformance(routes));
}

/** Whether the call selects fields; its answer then lacks required fields. */
function hasSelectedFields(path: string): boolean {
  return [...new URL(path, 'http://localhost').searchParams.keys()].some((name) => /^fields\b/.test(name));
}

function isProblemDocument(text: string): boolean {
  return text.startsWith('{"type":"about:blank"');
}

/** Compares calls and answers with the API reference. */
export class Conformance {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly checks = new Map<string, ValidateFunction>();

  readonly reference: Record<string, unknown>;
  private readonly templates: readonly (readonly [string, RegExp, readonly string[]])[];

  constructor(routes: readonly Route[]) {
    const reference = buildOpenApiDocument(routes, API_VERSION);
    this.reference = reference;
    this.templates = Object.entries(reference['paths'] as Paths).map(([template, operations]) => [
      template,
      new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      Object.keys(operations),
    ]);
    (addFormats as unknown as (ajv: Ajv2020) => void)(this.ajv);
    this.ajv.addSchema(reference, 'reference');
  }

  /** Returns how the exchange deviates from the API reference; empty when it conforms. */
  deviations({ method, path, requestBody, status, text }: Exchange): string[] {
    const template = this.templateOf(path, method);
    if (template === undefined)
      return status === 404 && (text === '[]' || isProblemDocument(text))
        ? []
        : [`unknown path answered ${status} ${text}`];
    const operation = (this.reference['paths'] as Paths)[template]?.[method];
    if (operation === undefined) return [`${method} ${template} is not in the reference`];
    const stated = operation.responses[status];
    const response = stated && this.resolve(stated);
    const common = this.resolve(operation.responses['default'])['x-failures']?.[status];
    if (response === undefined && common === undefined)
      return [`${method} ${template} does not document ${status}: ${text}`];
    if (isProblemDocument(text))
      return this.checkProblem(text, [response, common], `${status} of ${method} ${template}`);
    const errorKeys = [...(response?.['x-error-keys'] ?? []), ...(common?.keys ?? [])];
    const pointer = pointerOf(stated) ?? ['paths', template, method, 'responses', String(status)];
    return [
      ...(response === undefined
        ? this.validate(['components', 'schemas', common?.schema ?? ''], JSON.parse(text), `answer ${status}`)
        : this.checkAnswer(pointer, `${status} of ${method} ${template}`, response.content, text)
      ).filter(() => !hasSelectedFields(path)),
      ...keysIn(text)
        .filter((key) => !errorKeys.includes(key))
        .map((key) => `${method} ${template} does not document ${key} with ${status}`),
      ...this.checkRequest(template, method, operation, withoutFailedRows(requestBody, text), status),
    ];
  }

  private checkAnswer(pointer: readonly string[], subject: string, content: unknown, text: string): string[] {
    if (content === undefined) return text === '' ? [] : [`answer ${subject} should have no body: ${text}`];
    const types = Object.keys(content as object);
    if (types.every((type) => type === PROBLEM_TYPE))
      return text === '' ? [] : [`answer ${subject} is not empty: ${text}`];
    // Answers without JSON are images, whose tests check the bytes themselves.
    if (!types.includes('application/json')) return [];
    return this.validate([...pointer, 'content', 'application/json', 'schema'], JSON.parse(text), `answer ${subject}`);
  }

  private checkProblem(
    text: string,
    responses: readonly (
      | (Pick<DocumentedResponse, 'x-error-keys'> & { readonly keys?: readonly string[] })
      | undefined
    )[],
    subject: string,
  ): string[] {
    const knownKeys = [
      ...responses.flatMap((response) => [...(response?.['x-error-keys'] ?? []), ...(response?.keys ?? [])]),
      ...Object.keys(REQUEST_PROBLEMS),
      ...Object.values(TEXT_KEYS),
    ];
    const document = JSON.parse(text) as { readonly errors: readonly { readonly key: string }[] };
    const unknownKeys = document.errors.map(({ key }) => key).filter((key) => !knownKeys.includes(key));
    return [
      ...this.validate(['components', 'schemas', 'Problem'], document, `problem ${subject}`),
      ...unknownKeys.map((key) => `${subject} does not document the key ${key}`),
    ];
  }

  /** Returns the response, or the shared response that it references. */
  private resolve(response: DocumentedResponse | undefined): DocumentedResponse {
    const pointer = pointerOf(response) ?? [];
    const target = pointer.reduce<unknown>((part, name) => (part as Record<string, unknown>)?.[name], this.reference);
    return (pointer.length > 0 ? target : response) as DocumentedResponse;
  }

  private checkRequest(
    template: string,
    method: string,
    operation: Operation,
    requestBody: unknown,
    status: number,
  ): string[] {
    if (operation.requestBody === undefined || requestBody === undefined || status >= 300) return [];
    const pointer = ['paths', template, method, 'requestBody', 'content', 'application/json', 'schema'];
    return this.validate(pointer, requestBody, `accepted body of ${method} ${template}`);
  }

  private validate(pointer: readonly string[], value: unknown, subject: string): string[] {
    const reference = `reference#/${pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    const check = this.checks.get(reference) ?? this.ajv.compile({ $ref: reference });
    this.checks.set(reference, check);
    return check(value)
      ? []
      : (check.errors ?? []).map((error) => `${subject}: ${error.instancePath} ${error.message}`);
  }

  private templateOf(path: string, method: string): string | undefined {
    const [pathname = ''] = path.split('?');
    return this.templates.find(([, pattern, methods]) => methods.includes(method) && pattern.test(pathname))?.[0];
  }
}

/** Returns the message keys of an answer, except the keys of field errors. */
function keysIn(text: string): string[] {
  if (!/"(?:API|Stocks)\./.test(text)) return [];
  const { errors = {}, error, data } = JSON.parse(text) as { errors?: object; error?: unknown; data?: unknown };
  const { fields: _, ...areas } = errors as { fields?: unknown };
  const { failed } = (data ?? {}) as { failed?: unknown };
  const entries = [data, failed].filter((list) => Array.isArray(list)).flat() as {
    message?: unknown;
    error?: unknown;
  }[];
  const entryMessages = entries.map(
    (entry) => entry?.message ?? (entry?.error as { message?: unknown })?.message ?? entry?.error,
  );
  const messages = [...Object.values(areas).flat(), error, ...entryMessages];
  return messages.filter(
    (message): message is string => typeof message === 'string' && /^(?:API|Stocks)\./.test(message),
  );
}

/** Returns the body without rows that the bulk call failed, because they need not match the schema. */
function withoutFailedRows(requestBody: unknown, text: string): unknown {
  if (typeof requestBody !== 'object' || requestBody === null || Array.isArray(requestBody)) return requestBody;
  const { data } = (text.startsWith('{"data":') ? JSON.parse(text) : {}) as { data?: unknown };
  const failedJson = new Set(failedRows(data).map((row) => JSON.stringify(row)));
  if (failedJson.size === 0 && !(Array.isArray(data) && data.some(isErrorEntry))) return requestBody;
  const hasFailed = (row: unknown, index: number): boolean =>
    failedJson.has(JSON.stringify(row) ?? 'null') || (Array.isArray(data) && isErrorEntry(data[index]));
  const acceptedRows = (value: unknown): unknown =>
    Array.isArray(value) ? value.filter((row, index) => !hasFailed(row, index)) : value;
  return Object.fromEntries(Object.entries(requestBody).map(([name, value]) => [name, acceptedRows(value)]));
}

/** Returns the failed rows of `data.failed`. Each failure repeats its row as `input` or `product`. */
export function failedRows(data: unknown): unknown[] {
  const { failed = [] } = (data ?? {}) as { failed?: readonly { input?: unknown; product?: unknown }[] };
  return failed.map((failure) => ('product' in failure ? failure.product : failure.input));
}

/** Whether the entry is an error instead of a record. */
export function isErrorEntry(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null || !('message' in entry)) return false;
  return 'success' in entry ? entry.success === false : !('id' in entry);
}

/** Returns the path segments of a `$ref` within the document. */
function pointerOf(response: DocumentedResponse | undefined): string[] | undefined {
  return response?.$ref?.split('/').slice(1);
}
