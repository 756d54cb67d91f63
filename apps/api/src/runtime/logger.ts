import cluster from 'node:cluster';
import { pino, type Logger, type LoggerOptions } from 'pino';
import type { Config } from '../config.js';
import { logOutput } from './log-output.js';

export type { Logger } from 'pino';

/**
 * Writes structured logs to standard output. A request is logged with route and status, but never with its content.
 * One of several processes adds its id.
 */
export function loggerOf({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  const options: LoggerOptions = {
    level: logLevel,
    base: cluster.isWorker ? { pid: process.pid } : null,
  };
  if (logFormat !== 'pretty') return pino(options, logOutput());
  return pino({ ...options, transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } });
}

const MAX_MESSAGE_LENGTH = 256;
const MAX_CAUSES = 3;

/**
 * Describes an error and its causes without data of records. PostgreSQL's detail contains a row, and TypeORM's error
 * contains parameters.
 */
export function loggable(error: unknown, remainingCauses = MAX_CAUSES): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  const cause =
    error.cause === undefined || remainingCauses === 0 ? undefined : loggable(error.cause, remainingCauses - 1);
  const stack = frames?.join('\n');
  return { type: error.name, message: error.message.slice(0, MAX_MESSAGE_LENGTH), code, constraint, stack, cause };
}
