import { adapterNames } from './adapters/index.js';
import { readConfig } from './config.js';
import { makeDemo, type Demo } from './demo.js';
import { startApi } from './runtime/api.js';
import { loggerOf } from './runtime/logger.js';
import { runUntilSignal } from './runtime/run.js';
import { startService } from './runtime/service.js';
import { workOf } from './runtime/work.js';
import { TOKENS } from './tokens.js';

await runUntilSignal(async () => {
  const config = readConfig();
  const logger = loggerOf(config);
  const service = await startService(config, { logger });
  const work = config.worker ? workOf(service, logger) : undefined;
  const api = await startApi(service, config, logger).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  // The demo is created after the port is open: its tokens are shown only once, and a failed start would lose them.
  const shouldCreateDemo = config.demo && !(await service.container.get(TOKENS.Apps).hasApps());
  const demo = shouldCreateDemo ? await makeDemo(service.container) : undefined;
  await work?.start();
  process.stdout.write(formatGreeting(`http://localhost:${api.port}`, service.notice, demo));
  logger.info({ port: api.port, worker: config.worker, adapters: adapterNames(config) }, 'ready');
  return async () => {
    logger.info('stopping');
    await Promise.all([api.stop(), work?.stop()]);
    await service.stop();
  };
});

function formatGreeting(origin: string, notice: string | undefined, demo: Demo | undefined): string {
  const demoLines = demo
    ? [
        '',
        'Created a demo app. Its access token, shown only once:',
        `  ${demo.accessToken}`,
        'Token of a session of one of its customers, valid for 30 days:',
        `  ${demo.sessionToken}`,
        '',
        'Try:',
        `  curl -H 'Authorization: Bearer ${demo.accessToken}' '${origin}/api/v2/proforma_orders?limit=3'`,
      ]
    : [];
  const lines = [`Base URL       ${origin}/api/v2`, `API reference  ${origin}/docs`, ...demoLines];
  return `\n${[...(notice === undefined ? [] : [notice, '']), ...lines].join('\n')}\n\n`;
}
