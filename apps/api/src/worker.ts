import { readConfig } from './config.js';
import { Background } from './runtime/background.js';
import { choresOf } from './runtime/chores.js';
import { loggerOf } from './runtime/logger.js';
import { runUntilSignal } from './runtime/run.js';
import { startService } from './runtime/service.js';

/** The background work alone. Any number of these share one database. */
await runUntilSignal(async () => {
  const config = readConfig();
  const logger = loggerOf(config);
  const service = await startService(config);
  const background = new Background(choresOf(service.container), logger);
  background.start();
  logger.info('working');
  return async () => {
    logger.info('stopping');
    await background.stop();
    await service.stop();
  };
});
