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
  const loaded = await load(name).catch((error: unknown) => {
    throw refused(`cannot be loaded: ${(error as Error).message.split('\n')[0]}`);
  });
  const exported = loaded[open];
  if (typeof exported !== 'function') throw refused(`exports no ${open}`);
  const opened: unknown = await (exported as (environment: Config['environment']) => unknown)(environment);
  const wrong = wrongWith(opened);
  if (wrong !== undefined) throw refused(`${open} answers ${wrong}`);
  return opened as Opened;
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
  return code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${name}'`);
}
