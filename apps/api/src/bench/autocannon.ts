import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The part of autocannon that the bench uses. Its package is in `tools`. */
type Autocannon = (options: Options) => Run;

export interface Options {
  readonly url: string;
  /** Seconds. */
  readonly duration: number;
  readonly connections: number;
  /** Maximum number of calls per second on each connection. */
  readonly connectionRate?: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Run extends Promise<Result> {
  stop(): void;
}

export interface Result {
  readonly non2xx: number;
  readonly errors: number;
  readonly requests: { readonly average: number };
  /** Milliseconds. */
  readonly latency: { readonly p50: number; readonly p99: number };
}

const TOOLS = fileURLToPath(new URL('../../../../tools/package.json', import.meta.url));

/** Sends calls until the duration ends or `stop` is called. */
export function autocannon(options: Options): Run {
  return (createRequire(TOOLS)('autocannon') as Autocannon)(options);
}
