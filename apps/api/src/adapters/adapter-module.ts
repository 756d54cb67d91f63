import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidConfig } from '../config.js';

/** A kind of adapter that a module provides: its exported function and the shape that it returns. */
export interface AdapterKind<Opened> {
  /** The variable that names the module. */
  readonly variable: string;
  /** Name of the exported function. */
  readonly open: string;
  /** What makes a value unusable as this adapter, or `undefined`. */
  readonly problemWith: (answer: unknown) => string | undefined;
  /** Never set: it carries the type of the adapter. */
  readonly opened?: Opened;
}

/** Loads a module and opens its adapter. Throws {@link InvalidConfig} with one line when that fails. */
export async function openModule<Opened>(
  { variable, open, problemWith }: AdapterKind<Opened>,
  name: string,
  argument: unknown,
): Promise<Opened> {
  const refused = (why: string): InvalidConfig => new InvalidConfig(`Bad configuration: ${variable}: ${name} ${why}`);
  const loaded = await withTimeout(load(name)).catch((error: unknown) => {
    throw refused(`cannot be loaded: ${messageOf(error)}`);
  });
  const exported = loaded[open];
  if (typeof exported !== 'function') throw refused(`exports no ${open}`);
  const opening = async (): Promise<unknown> => (exported as (argument: unknown) => unknown)(argument);
  const opened = await withTimeout(opening()).catch((error: unknown) => {
    throw refused(`${open} failed: ${messageOf(error)}`);
  });
  const wrong = problemWith(opened) ?? problemWithClose(opened);
  if (wrong !== undefined) throw refused(`${open} answers ${wrong}`);
  return opened as Opened;
}

const TIMEOUT_MS = 30_000;

async function withTimeout<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${TIMEOUT_MS / 1_000} s`)), TIMEOUT_MS);
  });
  return Promise.race([work, timedOut]).finally(() => clearTimeout(timer));
}

/** First line of the message of a thrown value. */
export function messageOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.split('\n')[0] ?? '';
}

function problemWithClose(answer: unknown): string | undefined {
  const { close } = answer as { close?: unknown };
  return close === undefined || typeof close === 'function' ? undefined : 'a close that is not a function';
}

/** Names the methods that a value lacks; `undefined` when it has all. */
export function missingMethods(what: string, answer: unknown, methods: readonly string[]): string | undefined {
  if (typeof answer !== 'object' || answer === null) return `no ${what}`;
  const missing = methods.filter((method) => typeof (answer as Record<string, unknown>)[method] !== 'function');
  return missing.length === 0 ? undefined : `${articleOf(what)} ${what} without ${missing.join(', ')}`;
}

const VOWELS = ['a', 'e', 'i', 'o', 'u'];

function articleOf(noun: string): string {
  return VOWELS.includes(noun.charAt(0)) ? 'an' : 'a';
}

/** Resolves paths against the working directory, packages against the service, then the working directory. */
async function load(name: string): Promise<Record<string, unknown>> {
  const fromHere = createRequire(join(process.cwd(), 'package.json'));
  if (isAbsolute(name) || name.startsWith('.')) {
    return importFrom(fromHere.resolve(isAbsolute(name) ? name : join(process.cwd(), name)));
  }
  try {
    return (await import(name)) as Record<string, unknown>;
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    return importFrom(fromHere.resolve(name));
  }
}

async function importFrom(path: string): Promise<Record<string, unknown>> {
  return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
}

/** Whether the package itself is missing, rather than something that it imports. */
function isMissing(error: unknown, name: string): boolean {
  const { code, message } = error as { code?: unknown; message: string };
  const [scope = '', rest = ''] = name.split('/');
  const packageName = scope.startsWith('@') ? `${scope}/${rest}` : scope;
  return code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${packageName}'`);
}
