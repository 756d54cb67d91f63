import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Config } from '../config.js';
import { expressMessages } from '../http/express-messages.js';
import { expressApp } from '../http/express-app.js';
import { prepareUploads } from '../http/multipart.js';
import { openApiDocument } from '../http/openapi.js';
import { edgeServer, PATIENCE } from '../http/server.js';
import { TOKENS } from '../tokens.js';
import type { Logger } from './logger.js';
import { Metrics } from './metrics.js';
import { observerOf } from './observer.js';
import { Readiness } from './readiness.js';
import { mountOutside } from './outside.js';
import type { Service } from './service.js';

export const VERSION = '2.0.0';

const UPLOADS = 'uploads';

/** Some tenths of a second of work. With more callers in the queue, none of them would have its turn in time. */
const WAITING_PER_CONNECTION = 20;

export interface Api {
  readonly port: number;
  stop(): Promise<void>;
}

/** Serves the calls on the configured port. */
export async function startApi(
  { container, database }: Pick<Service, 'container' | 'database'>,
  config: Config,
  logger: Logger,
  patience = PATIENCE,
): Promise<Api> {
  const metrics = new Metrics(database);
  const [routes, clock, library] = [
    container.get(TOKENS.Routes),
    container.get(TOKENS.Clock),
    container.get(TOKENS.Library),
  ];
  const uploads = { directory: join(config.dataDir, UPLOADS), limit: config.uploadLimit };
  await prepareUploads(uploads);
  let draining = false;
  const app = expressApp({
    routes,
    tokens: container.get(TOKENS.AccessTokens),
    keyedCalls: container.get(TOKENS.KeyedCalls),
    clock,
    jsonLimit: config.jsonLimit,
    jsonBodyMs: patience.jsonBody,
    uploads,
    corsOrigins: config.corsOrigins,
    rateLimit: config.rateLimit,
    observer: observerOf(logger, metrics),
    isBusy: () => database.connections().awaited >= config.databasePoolSize * WAITING_PER_CONNECTION,
    outside: mountOutside({
      readiness: new Readiness(database, library.library.store, logger, clock),
      metrics,
      reference: () => JSON.stringify(openApiDocument(routes, VERSION)),
      isDraining: () => draining,
      library,
    }),
  });
  const edge = edgeServer(app, patience, expressMessages(app));
  await new Promise<void>((resolve, reject) => edge.server.once('error', reject).listen(config.port, resolve));
  const stop = (): Promise<void> => {
    draining = true;
    return edge.drain();
  };
  return { port: (edge.server.address() as AddressInfo).port, stop };
}
