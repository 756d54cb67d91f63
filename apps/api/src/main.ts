import { adapterNames } from './adapters/index.js';
import { readConfig, type Config } from './config.js';
import { Background } from './runtime/background.js';
import { makeDemo, type Demo } from './demo.js';
import { startApi, type Api } from './runtime/api.js';
import { useChoreOf } from './runtime/chores.js';
import { loggable, loggerOf } from './runtime/logger.js';
import { runUntilSignal } from './runtime/run.js';
import { startService } from './runtime/service.js';
import { workOf } from './runtime/work.js';
import { TOKENS } from './tokens.js';

await runUntilSignal(async () => {
  const config = readConfig();
  const logger = loggerOf(config);
  const service = await startService(config, { logger });
  const backgroundWork = config.worker ? workOf(service, logger) : undefined;
  const api = await startApi(service, config, logger).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  // The port opens before the demo is created. The demo's tokens are shown only once, and a failed start would lose
  // them.
  const shouldCreateDemo = config.demo && !(await service.container.get(TOKENS.Apps).hasApps());
  const demo = shouldCreateDemo ? await makeDemo(service.container) : undefined;
  const tokenUses = service.container.get(TOKENS.TokenUses);
  const tokenUseWriter = new Background([useChoreOf(service.container)], logger);
  tokenUseWriter.start();
  await backgroundWork?.start();
  process.stdout.write(formatGreeting(addressesOf(config, api), service.notice, demo));
  logger.info(
    { port: api.port, admin_port: api.adminPort, worker: config.worker, adapters: adapterNames(config) },
    'ready',
  );
  return async () => {
    logger.info('stopping');
    await Promise.all([api.stop(), backgroundWork?.stop()]);
    await tokenUseWriter.stop();
    await tokenUses.flush().catch((error: unknown) => logger.warn({ error: loggable(error) }, 'last uses not written'));
    await service.stop();
  };
});

interface Addresses {
  readonly origin: string;
  /** URL of the API reference; `undefined` when the service does not serve it. */
  readonly reference: string | undefined;
}

function addressesOf({ host, adminHost, docs }: Config, { port, adminPort }: Api): Addresses {
  const origin = originOf(host, port);
  const adminOrigin = adminPort === undefined ? origin : originOf(adminHost, adminPort);
  return { origin, reference: docs ? `${adminOrigin}/docs` : undefined };
}

/** Returns `localhost` when the server listens on all addresses. */
function originOf(host: string | undefined, port: number): string {
  const name = host === undefined || host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function formatGreeting({ origin, reference }: Addresses, notice: string | undefined, demo: Demo | undefined): string {
  const demoLines = demo
    ? [
        '',
        'Created a demo app. Its access token, valid for 30 days and shown only once:',
        `  ${demo.accessToken}`,
        'Token of a session of one of its customers, valid for 30 days:',
        `  ${demo.sessionToken}`,
        '',
        'Try:',
        `  curl -H 'Authorization: Bearer ${demo.accessToken}' '${origin}/api/v2/proforma_orders?limit=3'`,
      ]
    : [];
  const referenceLines = reference === undefined ? [] : [`API reference  ${reference}`];
  const lines = [`Base URL       ${origin}/api/v2`, ...referenceLines, ...demoLines];
  return `\n${[...(notice === undefined ? [] : [notice, '']), ...lines].join('\n')}\n\n`;
}
