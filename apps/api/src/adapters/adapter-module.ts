import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidConfig } from '../config.js';

/**
 * A kind of adapter that a module provides: its environment variable, its exported function and a check of the result.
 */
export interface AdapterKind<Opened> {
  readonly variable: string;
  readonly exportName: string;
  /** Returns why the value cannot be this adapter; `undefined` when it can. */
  readonly problemWith: (answer: unknown) => string | undefined;
  /** Never set; the field only carries the type parameter. */
  readonly adapter?: Opened;
}

/** Loads a module and opens its adapter. Throws {@link InvalidConfig} with a one-line message on failure. */
export async function openModule<Opened>(
  { variable, exportName, problemWith }: AdapterKind<Opened>,
  name: string,
  argument: unknown,
): Promise<Opened> {
  const refuse = (reason: string): InvalidConfig =>
    new InvalidConfig(`Bad configuration: ${variable}: ${name} ${reason}`);
  const module = await withTimeout(loadModule(name)).catch((error: unknown) => {
    throw refuse(`cannot be loaded: ${messageOf(error)}`);
  });
  const openAdapter = module[exportName];
  if (typeof openAdapter !== 'function') throw refuse(`exports no ${exportName}`);
  const opening = async (): Promise<unknown> => (openAdapter as (argument: unknown) => unknown)(argument);
  const adapter = await withTimeout(opening()).catch((error: unknown) => {
    throw refuse(`${exportName} failed: ${messageOf(error)}`);
  });
  const problem = problemWith(adapter) ?? problemWithClose(adapter);
  if (problem !== undefined) throw refuse(`${exportName} returns ${problem}`);
  return adapter as Opened;
}

const TIMEOUT_MS = 30_000;

async function withTimeout<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${TIMEOUT_MS / 1_000} s`)), TIMEOUT_MS);
  });
  return Promise.race([work, timedOut]).finally(() => clearTimeout(timer));
}

/** Returns the first line of the message of a thrown value. */
export function messageOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.split('\n')[0] ?? '';
}

function problemWithClose(answer: unknown): string | undefined {
  const { close } = answer as { close?: unknown };
  return close === undefined || typeof close === 'function' ? undefined : 'a close that is not a function';
}

/** Returns why the value is not an object with all these methods; `undefined` when it is. */
export function missingMethods(noun: string, answer: unknown, methods: readonly string[]): string | undefined {
  if (typeof answer !== 'object' || answer === null) return `no ${noun}`;
  const missing = methods.filter((method) => typeof (answer as Record<string, unknown>)[method] !== 'function');
  return missing.length === 0 ? undefined : `${articleOf(noun)} ${noun} without ${missing.join(', ')}`;
}

const VOWELS = ['a', 'e', 'i', 'o', 'u'];

function articleOf(noun: string): string {
  return VOWELS.includes(noun.charAt(0)) ? 'an' : 'a';
}

/**
 * Loads a module by path, relative to the working directory, or by package name. Node first looks for the package
 * beside the service, then in the working directory.
 */
async function loadModule(name: string): Promise<Record<string, unknown>> {
  const requireFromCwd = createRequire(join(process.cwd(), 'package.json'));
  if (isAbsolute(name) || name.startsWith('.')) {
    return importFrom(requireFromCwd.resolve(isAbsolute(name) ? name : join(process.cwd(), name)));
  }
  try {
    return (await import(name)) as Record<string, unknown>;
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    return importFrom(requireFromCwd.resolve(name));
  }
}

async function importFrom(path: string): Promise<Record<string, unknown>> {
  return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
}

/** Returns true when the package itself is missing, false when one of its imports is. */
function isMissing(error: unknown, name: string): boolean {
  const { code, message } = error as { code?: unknown; message: string };
  const [firstPart = '', secondPart = ''] = name.split('/');
  const packageName = firstPart.startsWith('@') ? `${firstPart}/${secondPart}` : firstPart;
  return code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${packageName}'`);
}
