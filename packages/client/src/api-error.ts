/** One reason why a call failed. */
export interface ErrorEntry {
  /** Message key such as `API.Products.MissingVat`; absent for plain texts and translated messages. */
  readonly key?: string;
  readonly message: string;
  /** Field or area to which the error belongs. */
  readonly field?: string;
  /** Index of the failed row in a bulk call. */
  readonly row?: number;
  /** JSON pointer to the value in the request. */
  readonly pointer?: string;
  readonly identifiers?: unknown;
  readonly details?: unknown;
}

type Json = Readonly<Record<string, unknown>>;

const MESSAGE_KEY = /^(?:API\.)?[A-Z]\w*(?:\.[A-Z]\w*)+$/;

/** A failed call. If no attempt got a response, `status` is 0 and `cause` is the reason. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** All errors of the response. `key`, `field`, `row` and `pointer` are those of the first one. */
  readonly errors: readonly ErrorEntry[];
  readonly key: string | undefined;
  readonly field: string | undefined;
  readonly row: number | undefined;
  readonly pointer: string | undefined;
  /** Id of the request in the log of the service. */
  readonly requestId: string | undefined;
  /** The response without its body. */
  readonly response: Response | undefined;

  constructor(response: Response | undefined, body: unknown, cause?: unknown) {
    const errors = parseErrors(body);
    const [first] = errors;
    super(first?.message ?? fallbackMessage(response, cause), { cause });
    this.status = response?.status ?? 0;
    this.errors = errors;
    this.key = first?.key;
    this.field = first?.field;
    this.row = first?.row;
    this.pointer = first?.pointer;
    this.requestId = response?.headers.get('X-Request-Id') ?? undefined;
    this.response = response;
  }
}

function fallbackMessage(response: Response | undefined, cause: unknown): string {
  if (response === undefined) return `No response: ${cause instanceof Error ? cause.message : String(cause)}`;
  return response.statusText || `Status ${response.status}`;
}

/**
 * Reads `application/problem+json` and the service's JSON formats of errors; returns an empty list for other bodies.
 */
export function parseErrors(body: unknown): ErrorEntry[] {
  if (!isObject(body)) return [];
  const { errors, error, message, title, detail } = body;
  if (Array.isArray(errors)) return errors.filter(isObject).map(parseProblem);
  if (isObject(errors)) return parseFields(errors);
  const text = [error, message, detail, title].find((value) => typeof value === 'string' && value !== '');
  return text === undefined ? [] : [describe(text as string)];
}

function parseProblem({ key, message, pointer, row, identifiers, details }: Json): ErrorEntry {
  const field = typeof pointer === 'string' ? fieldOf(pointer) : undefined;
  return {
    ...(typeof key === 'string' && { key }),
    message: typeof message === 'string' ? message : String(key),
    ...(field !== undefined && { field }),
    ...(typeof row === 'number' && { row }),
    ...(typeof pointer === 'string' && { pointer }),
    ...(isPresent(identifiers) && { identifiers }),
    ...(isPresent(details) && { details }),
  };
}

/** Example: `/stocks/3/qty` → `qty`. */
function fieldOf(pointer: string): string | undefined {
  const name = pointer
    .split('/')
    .slice(1)
    .findLast((part) => !Number.isInteger(Number(part)));
  return name?.replaceAll('~1', '/').replaceAll('~0', '~');
}

/**
 * Each key of `errors` is a field or an area. The key `fields` is an exception if there are other keys and its value is
 * no list of texts. It then contains details of the error.
 */
function parseFields(errors: Json): ErrorEntry[] {
  const { fields, ...areas } = errors;
  const hasDetails = fields !== undefined && Object.keys(areas).length > 0 && !isTextList(fields);
  return Object.entries(hasDetails ? areas : errors).flatMap(([field, messages]) =>
    (Array.isArray(messages) ? messages : [messages]).map((message) => ({
      ...describe(String(message)),
      ...(field !== 'detail' && field !== 'message' && { field }),
      ...(hasDetails && { details: fields }),
    })),
  );
}

function describe(message: string): ErrorEntry {
  return MESSAGE_KEY.test(message) ? { key: message, message } : { message };
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
