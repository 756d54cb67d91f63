import { setTimeout as pause } from 'node:timers/promises';
import { TOKENS } from '../tokens.js';
import { Background } from './background.js';
import type { Config } from '../config.js';
import { choresOf } from './chores.js';
import { freeSpaceChoreOf } from './free-space.js';
import { loggable, type Logger } from './logger.js';
import type { Service } from './service.js';

/** The job queue listens on one connection and uses the others to finish jobs. */
const QUEUE_CONNECTIONS = 4;
const STOP_TIMEOUT_MS = 15_000;

export interface BackgroundWork {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts and stops all background work: periodic chores and the job queue of the media library. */
export function workOf(
  { container, database }: Pick<Service, 'container' | 'database'>,
  { dataDir }: Pick<Config, 'dataDir'>,
  logger: Logger,
): BackgroundWork {
  const chores = [...choresOf(container, logger), freeSpaceChoreOf(dataDir, logger)];
  const background = new Background(chores, logger);
  const dispatcher = container.get(TOKENS.WebhookDispatcher);
  const queue = database.jobQueue(QUEUE_CONNECTIONS);
  const onFailure = (error: unknown, job: string) => logger.error({ job, error: loggable(error) }, 'job failed');
  const tasks = container.get(TOKENS.Library).tasks.createJobTasks(onFailure);
  const worker = queue.worker(tasks, onFailure);
  return {
    start: async () => {
      background.start();
      await worker.start();
    },
    stop: async () => {
      // If a job is still running after the timeout, another process runs it again later.
      const stopping = Promise.all([background.stop().then(() => dispatcher.idle()), worker.stop()]).then(() =>
        queue.close(),
      );
      await Promise.race([stopping, pause(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}
