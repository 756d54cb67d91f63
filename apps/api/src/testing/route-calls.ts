import type { IncomingHttpHeaders } from 'node:http';
import { BASE_PATH } from '../http/base-path.js';
import type { Route } from '../http/route.js';
import { TOKENS } from '../tokens.js';
import { BodySchema } from './body-fields.js';
import { conformanceOf, type Conformance } from './conformance.js';
import { findRecord, recordOf, type FullShop } from './full-shop.js';
import { RawHttp } from './raw-http.js';
import type { TestApi } from './test-api.js';

export interface RouteCall {
  readonly route: Route;
  readonly path: string;
  readonly token?: string | undefined;
  /** Method to send instead of the route's method. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `body` is sent as JSON, or in an upload as a form with a file. `text` is sent unchanged. */
  readonly body?: unknown;
  readonly text?: string | Buffer | undefined;
}

export interface RouteAnswer {
  readonly status: number;
  readonly replyHeaders: IncomingHttpHeaders;
  readonly replyText: string;
  readonly deviations: readonly string[];
}

/** Sends calls to any route, and checks each answer against the API reference. */
export class RouteCalls {
  readonly routes: readonly Route[];
  count = 0;
  private readonly reference: Record<string, unknown>;
  private readonly conformance: Conformance;
  private readonly http: RawHttp;

  constructor(api: TestApi) {
    this.routes = api.container.get(TOKENS.Routes);
    this.conformance = conformanceOf(this.routes);
    this.reference = this.conformance.reference;
    this.http = new RawHttp(api.origin);
  }

  /** Returns the schema of the route's body; a form is described without its file. */
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
    const payload = text ?? (body === undefined ? undefined : isForm ? formOf(body as object) : JSON.stringify(body));
    const reply = await this.http.call({
      method: method.toUpperCase(),
      path,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        'Content-Type': isForm ? `multipart/form-data; boundary=${BOUNDARY}` : 'application/json',
        ...headers,
      },
      body: payload,
    });
    const jsonBody =
      payload === undefined || body === undefined || isForm ? undefined : (JSON.parse(String(payload)) as unknown);
    const { status, text: replyText } = reply;
    const deviations = this.deviationsOf({ method, path, requestBody: jsonBody, status, text: replyText });
    return { status, replyHeaders: reply.headers, replyText, deviations };
  }

  close(): void {
    this.http.close();
  }

  private deviationsOf(exchange: Parameters<Conformance['deviations']>[0]): string[] {
    try {
      return this.conformance.deviations(exchange);
    } catch (error) {
      return [String(error)];
    }
  }
}

export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** Returns the path in the form of the API reference, with `{id}` for `:id`. */
function templateOf({ path }: Route): string {
  return BASE_PATH + path.replaceAll(/:(\w+)/g, '{$1}');
}

export function parametersOf({ path }: Route): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

/** Fills in the path with ids of the shop. `id` is the value of `parameter`. */
export function pathOf(route: Route, shop: FullShop, id?: string, parameter = 'id'): string {
  const ids: Readonly<Record<string, unknown>> = {
    ...(route.path.includes(':') && recordOf(route, shop)),
    ...(id !== undefined && { [parameter]: id }),
  };
  return BASE_PATH + route.path.replaceAll(/:(\w+)/g, (_, name: string) => String(ids[name]));
}

export function requiredQuery(route: Route, shop: FullShop): string[] {
  const { data_part: dataPart, time_part: timePart } = findRecord(route, shop) ?? {};
  const values: Readonly<Record<string, unknown>> = {
    // No customer has this id, so the call cannot end a session.
    customer_id: 987_654_321,
    dataPart,
    timePart,
    dateFrom: '2026-11-21',
    dateUntil: '2026-11-22',
  };
  return Object.entries(route.query ?? {})
    .filter(([, { required }]) => required)
    .map(([name]) => `${name}=${String(values[name])}`);
}

const BOUNDARY = 'between-the-parts';

function fieldsOf(form: { properties?: object } | undefined): object | undefined {
  const fields = Object.entries(form?.properties ?? {}).filter(([name]) => name !== 'file');
  return form && { ...form, properties: Object.fromEntries(fields), required: [] };
}

function formOf(body: object): string {
  const fields = Object.entries(body).filter(([name]) => name !== 'file');
  const parts = fields.flatMap(([name, value]) =>
    partsOf(name, value).map((part) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${part}\r\n`),
  );
  const file = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nwords\r\n`;
  return `${parts.join('')}${file}--${BOUNDARY}--\r\n`;
}

function partsOf(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => partsOf(name, item));
  if (typeof value !== 'object' || value === null) return [`name="${name}"\r\n\r\n${String(value)}`];
  return Object.entries(value).flatMap(([key, field]) => partsOf(`${name}[${key}]`, field));
}
