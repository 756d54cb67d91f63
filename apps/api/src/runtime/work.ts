import { setTimeout as pause } from 'node:timers/promises';
import { jobPool } from '../database/data-source.js';
import { MediaWorker } from '../media/index.js';
import { TOKENS } from '../tokens.js';
import { Background } from './background.js';
import { choresOf } from './chores.js';
import { loggable, type Logger } from './logger.js';
import type { Service } from './service.js';

/** Of the queue of jobs: one that listens, and one for each job that is about to end. */
const CONNECTIONS = 4;
const STOP_MS = 15_000;

export interface Work {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** All background work of the service: what is due by the clock, and the jobs of the media library. */
export function workOf({ container, connection }: Pick<Service, 'container' | 'connection'>, logger: Logger): Work {
  const background = new Background(choresOf(container, logger), logger);
  const pool = jobPool(connection, CONNECTIONS);
  const worker = new MediaWorker(pool, container.get(TOKENS.Library).tasks, (error, job) =>
    logger.error({ job, error: loggable(error) }, 'job failed'),
  );
  return {
    start: async () => {
      background.start();
      await worker.start();
    },
    stop: async () => {
      // A job that has not ended by then goes to whoever runs next.
      const ended = Promise.all([background.stop(), worker.stop()]).then(() => pool.end());
      await Promise.race([ended, pause(STOP_MS, undefined, { ref: false })]);
    },
  };
}
