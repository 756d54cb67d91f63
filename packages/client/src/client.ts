import createOpenApiClient from 'openapi-fetch';
import { ApiError } from './api-error.js';
import { UNKEYED_WRITES } from './calls.js';
import type {
  CallOptions,
  CallPath,
  CommonOptions,
  ListPath,
  Method,
  Operation,
  Optional,
  ResponseBody,
  Row,
  UploadOptions,
  UploadPath,
} from './call-types.js';
import type { paths } from './schema.js';
import { listRows } from './pages.js';
import { sendWithRetries, withoutTimeout, type RetryOptions } from './retries.js';
import { isRepeatableFile, uploadSender, type Upload } from './upload.js';

export interface ClientOptions {
  /** Ends with `/api/v2`. */
  readonly baseUrl: string;
  /** A token, or a function that returns one. The function is called once for each call, not for each attempt. */
  readonly token: string | (() => string | Promise<string>);
  readonly retries?: RetryOptions;
  /** Default: `fetch` of the runtime. */
  readonly fetch?: typeof fetch;
}

type Call<M extends Method> = <P extends CallPath<M>>(
  path: P,
  ...options: Optional<CallOptions<Operation<P, M>>>
) => Promise<ResponseBody<Operation<P, M>>>;

/** Every call returns the body of the response, and throws an {@link ApiError} for a status of 400 or above. */
export interface Client {
  readonly get: Call<'get'>;
  readonly post: Call<'post'>;
  readonly put: Call<'put'>;
  readonly patch: Call<'patch'>;
  readonly delete: Call<'delete'>;
  /** Yields the rows of all pages of a list. */
  all<P extends ListPath>(
    path: P,
    ...options: Optional<Omit<CallOptions<Operation<P, 'get'>>, 'body' | 'onResponse'>>
  ): AsyncGenerator<Row<P>, void, undefined>;
  /** Sends a form with a file. */
  upload<P extends UploadPath>(
    path: P,
    options: UploadOptions<Operation<P, 'post'>>,
  ): Promise<ResponseBody<Operation<P, 'post'>>>;
}

interface AnyOptions extends CommonOptions {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

type Send = (request: Request, signal: AbortSignal, attempt: number) => Promise<Response>;

interface Connection extends Pick<ClientOptions, 'token'> {
  /** Builds URL and body as the API reference describes, and sends the request with the `fetch` of the options. */
  readonly request: (
    method: string,
    path: string,
    options: object,
  ) => Promise<{ readonly response: Response; readonly data?: Blob; readonly error?: unknown }>;
}

interface SendPolicy {
  readonly send: Send;
  readonly retries: RetryOptions;
  readonly canRepeat: boolean;
}

const ACCEPT = 'application/problem+json, application/json, */*;q=0.1';
const KEY_BYTES = 16;

export function createClient(options: ClientOptions): Client {
  const { retries = {}, fetch: send = (...request) => globalThis.fetch(...request) } = options;
  const { request } = createOpenApiClient<paths>({ baseUrl: options.baseUrl });
  const connection = { token: options.token, request: request as unknown as Connection['request'] };
  const json: SendPolicy = { send: (prepared, signal) => send(prepared.clone(), { signal }), retries, canRepeat: true };
  const call = (method: Method, path: string, callOptions: AnyOptions = {}): Promise<unknown> =>
    makeCall(connection, method, path, callOptions, json);
  const callOf = (method: Method): never =>
    ((path: string, callOptions?: AnyOptions) => call(method, path, callOptions)) as never;
  return {
    get: callOf('get'),
    post: callOf('post'),
    put: callOf('put'),
    patch: callOf('patch'),
    delete: callOf('delete'),
    all: ((path: ListPath, listOptions: AnyOptions = {}) =>
      listRows(path, listOptions.query ?? {}, async (query) => {
        let nextCursor: string | null = null;
        const onResponse = ({ headers }: Response): void => {
          nextCursor = headers.get('Next-Cursor');
        };
        const body = await call('get', path, { ...listOptions, query, onResponse });
        return { data: (body as { data: unknown }).data, nextCursor };
      })) as never,
    upload: ((path: string, uploadOptions: AnyOptions & Pick<Upload, 'fileName' | 'onProgress'>) => {
      const { body, fileName, onProgress, ...others } = uploadOptions;
      const { file, ...fields } = body as Upload['fields'] & { readonly file: Upload['file'] };
      const sending: SendPolicy = {
        send: uploadSender({ fields, file, fileName, onProgress, fetch: send }, randomText()),
        retries: withoutTimeout(retries),
        canRepeat: isRepeatableFile(file),
      };
      return makeCall(connection, 'post', path, others, sending);
    }) as never,
  };
}

async function makeCall(
  { request, token }: Connection,
  method: Method,
  path: string,
  { path: pathParameters, query, body, headers, signal, idempotencyKey, timeoutMs, onResponse }: AnyOptions,
  { send, retries, canRepeat }: SendPolicy,
): Promise<unknown> {
  const isKeyed = method !== 'get' && !UNKEYED_WRITES.includes(`${method} ${path}`);
  // Gets the token once, because all attempts of a keyed call must send the same token.
  const bearer = typeof token === 'string' ? token : await token();
  const { response, error, data } = await request(method, path, {
    params: { path: pathParameters, query },
    body,
    parseAs: 'blob',
    headers: {
      Accept: ACCEPT,
      Authorization: `Bearer ${bearer}`,
      ...(isKeyed && { 'Idempotency-Key': idempotencyKey ?? randomText() }),
      ...headers,
    },
    ...(signal && { signal }),
    fetch: (prepared: Request) =>
      sendWithRetries((limited, attempt) => send(prepared, limited, attempt), {
        signal: prepared.signal,
        isRepeatable: canRepeat && (method === 'get' || isKeyed),
        retries: { ...retries, ...(timeoutMs !== undefined && { timeoutMs }) },
      }),
  });
  onResponse?.(response);
  if (!response.ok) throw new ApiError(response, error);
  return parseBody(response, data);
}

async function parseBody({ headers }: Response, data: Blob | undefined): Promise<unknown> {
  if (data === undefined || data.size === 0) return undefined;
  const isJson = headers.get('Content-Type')?.includes('json') ?? true;
  return isJson ? JSON.parse(await data.text()) : data;
}

/** Does not use `crypto.randomUUID`, which is missing on pages without HTTPS. */
function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
