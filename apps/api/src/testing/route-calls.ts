import type { IncomingHttpHeaders } from 'node:http';
import { BASE_PATH } from '../http/base-path.js';
import { openApiDocument } from '../http/openapi.js';
import type { Route } from '../http/route.js';
import { VERSION } from '../runtime/api.js';
import { TOKENS } from '../tokens.js';
import { BodySchema } from './body-fields.js';
import { Conformance } from './conformance.js';
import type { FullShop } from './full-shop.js';
import { RawHttp } from './raw-http.js';
import type { TestApi } from './test-api.js';

export interface RouteCall {
  readonly route: Route;
  readonly path: string;
  readonly token?: string | undefined;
  /** In place of the route's own. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as a form with a file where the route takes one; `text` is sent as it is. */
  readonly body?: unknown;
  readonly text?: string | Buffer | undefined;
}

export interface RouteAnswer {
  readonly status: number;
  readonly head: IncomingHttpHeaders;
  readonly answer: string;
  /** What of it the API reference does not promise. */
  readonly complaints: readonly string[];
}

/** Calls of whatever the route table holds, right or wrong. */
export class RouteCalls {
  readonly routes: readonly Route[];
  /** How many have been sent. */
  count = 0;
  private readonly reference: Record<string, unknown>;
  private readonly conformance: Conformance;
  private readonly http: RawHttp;

  constructor(api: TestApi) {
    this.routes = api.container.get(TOKENS.Routes);
    this.reference = openApiDocument(this.routes, VERSION);
    this.conformance = new Conformance(this.reference);
    this.http = new RawHttp(api.origin);
  }

  /** The fields of the route's body; the file of a form is not one of them. */
  bodyOf(route: Route): BodySchema | undefined {
    const path = (this.reference['paths'] as Record<string, Record<string, unknown>>)[templateOf(route)];
    const operation = path?.[route.method] as { requestBody?: { content: Record<string, { schema: object }> } };
    const content = operation.requestBody?.content;
    const schema = content?.['application/json']?.schema ?? fieldsOf(content?.['multipart/form-data']?.schema);
    return schema && new BodySchema(this.reference, schema as Record<string, unknown>);
  }

  async send({ route, path, token, method = route.method, headers, body, text }: RouteCall): Promise<RouteAnswer> {
    this.count += 1;
    const isForm = route.upload === true && body !== undefined;
    const written = text ?? (body === undefined ? undefined : isForm ? formOf(body as object) : JSON.stringify(body));
    const reply = await this.http.call({
      method: method.toUpperCase(),
      path,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        'Content-Type': isForm ? `multipart/form-data; boundary=${BOUNDARY}` : 'application/json',
        ...headers,
      },
      body: written,
    });
    const sent =
      written === undefined || body === undefined || isForm ? undefined : (JSON.parse(String(written)) as unknown);
    const { status, text: answer } = reply;
    const complaints = this.complaintsOf({ method, path, sent, status, text: answer });
    return { status, head: reply.headers, answer, complaints };
  }

  close(): void {
    this.http.close();
  }

  private complaintsOf(told: Parameters<Conformance['complaints']>[0]): string[] {
    try {
      return this.conformance.complaints(told);
    } catch (error) {
      return [String(error)];
    }
  }
}

export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** The path as the API reference writes it. */
function templateOf({ path }: Route): string {
  return BASE_PATH + path.replaceAll(/:(\w+)/g, '{$1}');
}

/** The ids in the path of a route. */
export function parametersOf({ path }: Route): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

/** The record of the shop that the path of a route names. */
function recordOf({ path }: Route, shop: FullShop): Readonly<Record<string, unknown>> {
  return { ...shop.records[path.split('/')[1] ?? ''] };
}

/** The path with the ids of the shop's records, but for one of them: that of the record unless another is named. */
export function pathOf(route: Route, shop: FullShop, id?: string, parameter = 'id'): string {
  const named = { ...recordOf(route, shop), ...(id !== undefined && { [parameter]: id }) };
  return BASE_PATH + route.path.replaceAll(/:(\w+)/g, (_, name: string) => String(named[name]));
}

/** The required parameters as they should be, so that what is hostile is the only thing wrong. */
export function requiredQuery(route: Route, shop: FullShop): string[] {
  const record = recordOf(route, shop);
  const values: Readonly<Record<string, unknown>> = {
    dataPart: record['data_part'],
    timePart: record['time_part'],
    dateFrom: '2026-11-21',
    dateUntil: '2026-11-22',
  };
  return Object.entries(route.query ?? {})
    .filter(([, { required }]) => required)
    .map(([name]) => `${name}=${String(values[name])}`);
}

const BOUNDARY = 'between-the-parts';

/** The fields of a body as a form, with a file. */
function fieldsOf(form: { properties?: object } | undefined): object | undefined {
  const fields = Object.entries(form?.properties ?? {}).filter(([name]) => name !== 'file');
  return form && { ...form, properties: Object.fromEntries(fields), required: [] };
}

function formOf(body: object): string {
  const fields = Object.entries(body).filter(([name]) => name !== 'file');
  const parts = fields.flatMap(([name, value]) =>
    partsOf(name, value).map((each) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${each}\r\n`),
  );
  const file = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nwords\r\n`;
  return `${parts.join('')}${file}--${BOUNDARY}--\r\n`;
}

function partsOf(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => partsOf(name, each));
  if (typeof value !== 'object' || value === null) return [`name="${name}"\r\n\r\n${String(value)}`];
  return Object.entries(value).flatMap(([key, each]) => partsOf(`${name}[${key}]`, each));
}
