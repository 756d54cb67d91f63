import { adapterNames } from './adapters/index.js';
import { readConfig } from './config.js';
import { loggerOf } from './runtime/logger.js';
import { startProbes } from './runtime/probes.js';
import { runUntilSignal } from './runtime/run.js';
import { startService } from './runtime/service.js';
import { workOf } from './runtime/work.js';

/** Runs only background work, with health and metrics on `WORKER_PORT`. Any number of workers may use one database. */
await runUntilSignal(async () => {
  const config = readConfig();
  const logger = loggerOf(config);
  const service = await startService(config, { logger });
  const backgroundWork = workOf(service, logger);
  const probes =
    config.workerPort === undefined
      ? undefined
      : await startProbes(service, { port: config.workerPort, host: config.adminHost }, logger).catch(
          async (error: unknown) => {
            await service.stop();
            throw error;
          },
        );
  await backgroundWork.start();
  logger.info({ port: probes?.port, adapters: adapterNames(config) }, 'working');
  return async () => {
    logger.info('stopping');
    await Promise.all([probes?.stop(), backgroundWork.stop()]);
    await service.stop();
  };
});
