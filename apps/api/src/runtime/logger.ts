import { pino, type Logger } from 'pino';
import type { Config } from '../config.js';

export type { Logger } from 'pino';

/** Structured logs on standard output. Of a request only route and status are logged, never its content. */
export function loggerOf({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  const pretty = { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } };
  return pino({ level: logLevel, base: null, ...(logFormat === 'pretty' && pretty) });
}

const MAX_MESSAGE_LENGTH = 256;
const MAX_CAUSES = 3;

/** An error and its causes without quoted data: PostgreSQL's detail holds the row, TypeORM's error the parameters. */
export function loggable(error: unknown, causes = MAX_CAUSES): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  const cause = error.cause === undefined || causes === 0 ? undefined : loggable(error.cause, causes - 1);
  const stack = frames?.join('\n');
  return { type: error.name, message: error.message.slice(0, MAX_MESSAGE_LENGTH), code, constraint, stack, cause };
}
