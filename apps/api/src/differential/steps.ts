/** A value of an earlier answer, which each side resolves to its own. */
export class Ref {
  constructor(
    readonly step: number,
    /** Path into the body, such as `data.items.0.id`. */
    readonly at: string,
  ) {}

  /** A reference to another field of the same object. */
  sibling(name: string): Ref {
    return new Ref(this.step, [...this.at.split('.').slice(0, -1), name].join('.'));
  }

  below(at: string): Ref {
    return new Ref(this.step, [this.at, at].filter((part) => part !== '').join('.'));
  }
}

export interface FormFile {
  readonly name: string;
  /** The text itself, or the size of a PNG. */
  readonly content: string | { readonly png: readonly [width: number, height: number] };
}

/** One request. Whatever may hold a {@link Ref} is `unknown`. */
export interface CallStep {
  readonly kind: 'call';
  readonly id: number;
  readonly app: string;
  readonly method: string;
  /** The path of the route, such as `/orders/:id`. */
  readonly path: string;
  /** Path segments by parameter; a text that starts with `raw:` is sent undecoded. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: readonly (readonly [name: string, value: unknown])[];
  /** A hostile query, appended unchanged. */
  readonly rawQuery?: string;
  readonly body?: unknown;
  /** Replaces the body. */
  readonly text?: string;
  readonly file?: FormFile;
  /** The token of the app unless a session's is named. */
  readonly token?: unknown;
  readonly idempotencyKey?: string;
  /** The list is sorted by drawn values, so rows are compared by id. */
  readonly isUnordered?: boolean;
}

export type Step =
  | CallStep
  | { readonly kind: 'app'; readonly id: number; readonly app: string; readonly currency: string }
  /** Fetches the public URL of a file. */
  | { readonly kind: 'public'; readonly id: number; readonly url: Ref }
  | { readonly kind: 'clock'; readonly id: number; readonly seconds: number }
  /** Runs pending jobs. */
  | { readonly kind: 'jobs'; readonly id: number }
  /** Runs every chore once, including the expiry sweep. */
  | { readonly kind: 'chores'; readonly id: number };

/** An id that no record has; a reference to a missing step resolves to it. */
export const ABSENT_ID = 987_654_321;

/** The value with every reference resolved. */
export function resolved(value: unknown, valueOf: (ref: Ref) => unknown): unknown {
  if (value instanceof Ref) return valueOf(value);
  if (Array.isArray(value)) return value.map((each) => resolved(each, valueOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolved(each, valueOf)]));
}

/** All references in a step. */
export function refsIn(value: unknown): readonly Ref[] {
  if (value instanceof Ref) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(refsIn) : [];
}

/** The value at a path such as `data.0.id`. */
export function valueAt(body: unknown, at: string): unknown {
  if (at === '') return body;
  return at.split('.').reduce<unknown>((part, name) => {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return undefined;
    return (part as Record<string, unknown>)[name];
  }, body);
}

const MAX_SHOWN = 600;

/** A step in one line; references read `#12.data.id`. */
export function shown(step: Step): string {
  const number = `#${step.id}`.padEnd(7);
  switch (step.kind) {
    case 'app':
      return `${number}new app ${step.app} in ${step.currency}`;
    case 'public':
      return `${number}GET the public URL ${inText(step.url)}`;
    case 'clock':
      return `${number}clock forward by ${step.seconds} s`;
    case 'jobs':
    case 'chores':
      return `${number}run the ${step.kind}`;
    case 'call':
      return number + shownCall(step);
  }
}

function shownCall(step: CallStep): string {
  const path = step.path.replaceAll(/:(\w+)/g, (_, name: string) => `{${inText(step.params[name])}}`);
  const query = [...step.query.map(([name, value]) => `${name}=${inText(value)}`), step.rawQuery].filter(Boolean);
  return [
    step.app,
    step.method.toUpperCase(),
    cut(query.length > 0 ? `${path}?${query.join('&')}` : path),
    step.text === undefined ? (step.body === undefined ? '' : cut(inJson(step.body))) : cut(JSON.stringify(step.text)),
    step.file && `file ${step.file.name} ${JSON.stringify(step.file.content)}`,
    step.token !== undefined && `as ${inText(step.token)}`,
    step.idempotencyKey && `key ${step.idempotencyKey}`,
  ]
    .filter(Boolean)
    .join(' ');
}

function inText(value: unknown): string {
  return value instanceof Ref ? `#${value.step}.${value.at}` : String(value);
}

function inJson(value: unknown): string {
  if (value instanceof Ref) return inText(value);
  if (Array.isArray(value)) return `[${value.map(inJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  return `{${Object.entries(value)
    .map(([name, each]) => `${JSON.stringify(name)}:${inJson(each)}`)
    .join(',')}}`;
}

function cut(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)` : text;
}
