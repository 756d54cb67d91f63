import { readConfig } from './config.js';
import { loggerOf } from './runtime/logger.js';
import { runUntilSignal } from './runtime/run.js';
import { startService } from './runtime/service.js';
import { workOf } from './runtime/work.js';

/** The background work alone. Any number of these share one database. */
await runUntilSignal(async () => {
  const config = readConfig();
  const logger = loggerOf(config);
  const service = await startService(config);
  const work = workOf(service, logger);
  await work.start();
  logger.info('working');
  return async () => {
    logger.info('stopping');
    await work.stop();
    await service.stop();
  };
});
