/** A reference to a value in an earlier answer; each side resolves it to its own value. */
export class Ref {
  constructor(
    readonly step: number,
    /** Path into the body, such as `data.items.0.id`. */
    readonly path: string,
  ) {}

  /** Returns a reference to another field of the same object. */
  sibling(name: string): Ref {
    return new Ref(this.step, [...this.path.split('.').slice(0, -1), name].join('.'));
  }

  below(path: string): Ref {
    return new Ref(this.step, [this.path, path].filter((part) => part !== '').join('.'));
  }
}

export interface FormFile {
  readonly name: string;
  /** Text content, or the size of a PNG. */
  readonly content: string | { readonly png: readonly [width: number, height: number] };
}

/** One request. Values of type `unknown` may contain a {@link Ref}. */
export interface CallStep {
  readonly kind: 'call';
  readonly id: number;
  readonly app: string;
  readonly method: string;
  readonly path: string;
  /** Values of path parameters; a text that starts with `raw:` is sent unencoded. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: readonly (readonly [name: string, value: unknown])[];
  /** A hostile query string, appended unencoded. */
  readonly rawQuery?: string;
  readonly body?: unknown;
  /** Text that is sent in place of the JSON body. */
  readonly text?: string;
  readonly file?: FormFile;
  /** Session token that the call sends; by default, the call sends the app's token. */
  readonly token?: unknown;
  readonly idempotencyKey?: string;
  /** Whether random values decide the order of the list; its rows are then matched by id. */
  readonly isUnordered?: boolean;
}

export type Step =
  | CallStep
  | { readonly kind: 'app'; readonly id: number; readonly app: string; readonly currency: string }
  | { readonly kind: 'public'; readonly id: number; readonly url: Ref }
  | { readonly kind: 'clock'; readonly id: number; readonly seconds: number }
  | { readonly kind: 'jobs'; readonly id: number }
  | { readonly kind: 'chores'; readonly id: number };

/** An id that no record has. A reference to a missing answer resolves to this id. */
export const ABSENT_ID = 987_654_321;

export function resolveRefs(value: unknown, valueOf: (ref: Ref) => unknown): unknown {
  if (value instanceof Ref) return valueOf(value);
  if (Array.isArray(value)) return value.map((item) => resolveRefs(item, valueOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, resolveRefs(field, valueOf)]));
}

export function refsIn(value: unknown): readonly Ref[] {
  if (value instanceof Ref) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(refsIn) : [];
}

export function valueAt(body: unknown, path: string): unknown {
  if (path === '') return body;
  return path.split('.').reduce<unknown>((part, name) => {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return undefined;
    return (part as Record<string, unknown>)[name];
  }, body);
}

const MAX_SHOWN = 600;

/** Formats a step in one line; references look like `#12.data.id`. */
export function formatStep(step: Step): string {
  const number = `#${step.id}`.padEnd(7);
  switch (step.kind) {
    case 'app':
      return `${number}new app ${step.app} in ${step.currency}`;
    case 'public':
      return `${number}GET the public URL ${formatValue(step.url)}`;
    case 'clock':
      return `${number}clock forward by ${step.seconds} s`;
    case 'jobs':
    case 'chores':
      return `${number}run the ${step.kind}`;
    case 'call':
      return number + formatCall(step);
  }
}

function formatCall(step: CallStep): string {
  const path = step.path.replaceAll(/:(\w+)/g, (_, name: string) => `{${formatValue(step.params[name])}}`);
  const query = [...step.query.map(([name, value]) => `${name}=${formatValue(value)}`), step.rawQuery].filter(Boolean);
  return [
    step.app,
    step.method.toUpperCase(),
    truncate(query.length > 0 ? `${path}?${query.join('&')}` : path),
    step.text === undefined
      ? step.body === undefined
        ? ''
        : truncate(formatJson(step.body))
      : truncate(JSON.stringify(step.text)),
    step.file && `file ${step.file.name} ${JSON.stringify(step.file.content)}`,
    step.token !== undefined && `as ${formatValue(step.token)}`,
    step.idempotencyKey && `key ${step.idempotencyKey}`,
  ]
    .filter(Boolean)
    .join(' ');
}

function formatValue(value: unknown): string {
  return value instanceof Ref ? `#${value.step}.${value.path}` : String(value);
}

function formatJson(value: unknown): string {
  if (value instanceof Ref) return formatValue(value);
  if (Array.isArray(value)) return `[${value.map(formatJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  return `{${Object.entries(value)
    .map(([name, field]) => `${JSON.stringify(name)}:${formatJson(field)}`)
    .join(',')}}`;
}

function truncate(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)` : text;
}
