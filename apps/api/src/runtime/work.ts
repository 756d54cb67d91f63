import { setTimeout as pause } from 'node:timers/promises';
import { TOKENS } from '../tokens.js';
import { Background } from './background.js';
import { choresOf } from './chores.js';
import { loggable, type Logger } from './logger.js';
import type { Service } from './service.js';

/** Of the job queue: one listens, the others finish jobs. */
const CONNECTIONS = 4;
const STOP_TIMEOUT_MS = 15_000;

export interface Work {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** All background work: periodic chores and the job queue of the media library. */
export function workOf({ container, database }: Pick<Service, 'container' | 'database'>, logger: Logger): Work {
  const background = new Background(choresOf(container, logger), logger);
  const queue = database.jobQueue(CONNECTIONS);
  const onFailure = (error: unknown, job: string) => logger.error({ job, error: loggable(error) }, 'job failed');
  const worker = queue.worker(container.get(TOKENS.Library).tasks.createJobTasks(onFailure), onFailure);
  return {
    start: async () => {
      background.start();
      await worker.start();
    },
    stop: async () => {
      // The next process takes over a job that is still running.
      const ended = Promise.all([background.stop(), worker.stop()]).then(() => queue.close());
      await Promise.race([ended, pause(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}
