import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidConfig, type Config } from '../config.js';

/** A side of the service that a module may serve: what the module exports, and what the export answers. */
export interface Side<Opened> {
  /** The variable that names the module. */
  readonly variable: string;
  /** The exported function: it gets the environment and reads variables of its own. */
  readonly open: string;
  /** What keeps an answer from being `Opened`, or `undefined`. */
  readonly wrongWith: (answer: unknown) => string | undefined;
  /** Never called: it ties the side to its type. */
  readonly opened?: Opened;
}

/** Opens the adapter of a module; throws {@link InvalidConfig} with one line when it is none. */
export async function openModule<Opened>(
  { variable, open, wrongWith }: Side<Opened>,
  name: string,
  environment: Config['environment'],
): Promise<Opened> {
  const refused = (why: string): InvalidConfig => new InvalidConfig(`Bad configuration: ${variable}: ${name} ${why}`);
  const loaded = await inTime(load(name)).catch((error: unknown) => {
    throw refused(`cannot be loaded: ${messageOf(error)}`);
  });
  const exported = loaded[open];
  if (typeof exported !== 'function') throw refused(`exports no ${open}`);
  const opening = async (): Promise<unknown> => (exported as (given: Config['environment']) => unknown)(environment);
  const opened = await inTime(opening()).catch((error: unknown) => {
    throw refused(`${open} failed: ${messageOf(error)}`);
  });
  const wrong = wrongWith(opened) ?? wrongClose(opened);
  if (wrong !== undefined) throw refused(`${open} answers ${wrong}`);
  return opened as Opened;
}

const TIMEOUT_MS = 30_000;

async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${TIMEOUT_MS / 1_000} s`)), TIMEOUT_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The first line of what was thrown, which need not be an error. */
export function messageOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.split('\n')[0] ?? '';
}

function wrongClose(answer: unknown): string | undefined {
  const { close } = answer as { close?: unknown };
  return close === undefined || typeof close === 'function' ? undefined : 'a close that is no function';
}

/** The methods that an answer lacks, in words. */
export function lacking(what: string, answer: unknown, methods: readonly string[]): string | undefined {
  if (typeof answer !== 'object' || answer === null) return `no ${what}`;
  const missing = methods.filter((method) => typeof (answer as Record<string, unknown>)[method] !== 'function');
  return missing.length === 0 ? undefined : `a ${what} without ${missing.join(', ')}`;
}

/** A path is meant from the working directory; a package may be installed beside the service or there. */
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
