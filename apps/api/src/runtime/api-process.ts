import { adapterNames } from '../adapters/index.js';
import type { Config } from '../config.js';
import { makeDemo, type Demo } from '../demo.js';
import { TOKENS } from '../tokens.js';
import { startApi, type Api } from './api.js';
import { Background } from './background.js';
import { tokenUseChoreOf } from './chores.js';
import { loggable, loggerOf } from './logger.js';
import { startService } from './service.js';
import { workOf } from './work.js';

export interface StartedProcess {
  /** Lines for the person who started the service. */
  readonly greeting: string;
  /** During `graceMs`, idle connections stay open for one more call. */
  stop(graceMs?: number): Promise<void>;
}

/** Starts the API, and the background work unless the configuration excludes it. */
export async function startApiProcess(config: Config): Promise<StartedProcess> {
  const logger = loggerOf(config);
  const service = await startService(config, { logger });
  const backgroundWork = config.worker ? workOf(service, config, logger) : undefined;
  const api = await startApi(service, config, logger).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  // The demo is created after the port is open: its tokens are shown only once, and a failed start would lose them.
  const shouldCreateDemo = config.demo && !(await service.container.get(TOKENS.Apps).hasApps());
  const demo = shouldCreateDemo ? await makeDemo(service.container) : undefined;
  const tokenUses = service.container.get(TOKENS.TokenUses);
  const tokenUseWriter = new Background([tokenUseChoreOf(service.container)], logger);
  tokenUseWriter.start();
  await backgroundWork?.start();
  logger.info(
    { port: api.port, admin_port: api.adminPort, worker: config.worker, adapters: adapterNames(config) },
    'ready',
  );
  const stop = async (graceMs?: number): Promise<void> => {
    logger.info('stopping');
    await Promise.all([api.stop(graceMs), backgroundWork?.stop()]);
    await tokenUseWriter.stop();
    await tokenUses.flush().catch((error: unknown) => logger.warn({ error: loggable(error) }, 'last uses not written'));
    await service.stop();
  };
  return { greeting: formatGreeting(addressesOf(config, api), service.notice, demo), stop };
}

interface Addresses {
  readonly origin: string;
  /** `undefined` if the API reference is not served. */
  readonly reference: string | undefined;
}

function addressesOf({ host, adminHost, docs }: Config, { port, adminPort }: Api): Addresses {
  const origin = originOf(host, port);
  const adminOrigin = adminPort === undefined ? origin : originOf(adminHost, adminPort);
  return { origin, reference: docs ? `${adminOrigin}/docs` : undefined };
}

/** Returns localhost for a host that listens on all addresses. */
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
