import { adapterNames } from '../adapters/index.js';
import type { Config } from '../config.js';
import { watchDatabase } from './database-metrics.js';
import { loggerOf } from './logger.js';
import { Metrics } from './metrics.js';
import { startProbes } from './probes.js';
import { startService } from './service.js';
import { workOf } from './work.js';

/**
 * Starts only the background work, with health and metrics on `WORKER_PORT`. Any number of workers may share one
 * database. Returns the function that stops it.
 */
export async function startWorkerProcess(config: Config): Promise<() => Promise<void>> {
  const logger = loggerOf(config);
  const service = await startService(config, { logger });
  const backgroundWork = workOf(service, config, logger);
  const metrics = new Metrics(service.database.health);
  watchDatabase(metrics, service.container);
  metrics.watchFreeBytes(config.dataDir);
  const address = { port: config.workerPort ?? 0, host: config.adminHost };
  const probes =
    config.workerPort === undefined
      ? undefined
      : await startProbes(service, address, logger, metrics).catch(async (error: unknown) => {
          await service.stop();
          throw error;
        });
  await backgroundWork.start();
  logger.info({ port: probes?.port, adapters: adapterNames(config) }, 'working');
  return async () => {
    logger.info('stopping');
    await Promise.all([probes?.stop(), backgroundWork.stop()]);
    await service.stop();
  };
}
