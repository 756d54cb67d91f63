import { adapterNames } from './adapters/index.js';
import { readConfig } from './config.js';
import { makeDemo, type Demo } from './demo.js';
import { startApi } from './runtime/api.js';
import { loggerOf } from './runtime/logger.js';
import { runUntilSignal } from './runtime/run.js';
import { startService } from './runtime/service.js';
import { workOf } from './runtime/work.js';
import { TOKENS } from './tokens.js';

/** The API, and the background work unless WORKER=off. */
await runUntilSignal(async () => {
  const config = readConfig();
  const logger = loggerOf(config);
  const service = await startService(config);
  const work = config.worker ? workOf(service, logger) : undefined;
  const api = await startApi(service, config, logger).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  // Only now: the demo's tokens are shown once, and a port that is taken would lose it.
  const wantsDemo = config.demo && !(await service.container.get(TOKENS.Apps).any());
  const demo = wantsDemo ? await makeDemo(service.container) : undefined;
  await work?.start();
  process.stdout.write(greeting(`http://localhost:${api.port}`, service.embedded?.notice, demo));
  logger.info({ port: api.port, worker: config.worker, adapters: adapterNames(config) }, 'ready');
  return async () => {
    logger.info('stopping');
    await Promise.all([api.stop(), work?.stop()]);
    await service.stop();
  };
});

function greeting(origin: string, notice: string | undefined, demo: Demo | undefined): string {
  const tour = demo
    ? [
        '',
        'A demo app has been made. Its access token, shown this one time:',
        `  ${demo.accessToken}`,
        'And that of a session of one of its customers, for 30 days:',
        `  ${demo.sessionToken}`,
        '',
        'Try:',
        `  curl -H 'Authorization: Bearer ${demo.accessToken}' '${origin}/api/v2/proforma_orders?limit=3'`,
      ]
    : [];
  const lines = [`Base URL       ${origin}/api/v2`, `API reference  ${origin}/docs`, ...tour];
  return `\n${[...(notice === undefined ? [] : [notice, '']), ...lines].join('\n')}\n\n`;
}
