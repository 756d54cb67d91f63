import { makeFolder } from '@back-office/storage-disk';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Express } from 'express';
import type { Config } from '../config.js';
import { createExpressMessages } from '../http/express-messages.js';
import { createExpressApp, type Edge } from '../http/express-app.js';
import { removeStaleUploads } from '../http/multipart.js';
import { buildOpenApiDocument } from '../http/openapi.js';
import { createEdgeServer, EDGE_TIMEOUTS } from '../http/server.js';
import { TOKENS } from '../tokens.js';
import type { Logger } from './logger.js';
import { Metrics } from './metrics.js';
import { observerOf } from './observer.js';
import { Readiness } from './readiness.js';
import { mountPublic, type PublicParts } from './outside.js';
import type { Service } from './service.js';

export const VERSION = '2.0.0';

const UPLOADS = 'uploads';

/** Callers behind a longer queue would time out before their turn. */
const MAX_WAITING_CALLS_PER_CONNECTION = 20;

export interface Api {
  readonly port: number;
  stop(): Promise<void>;
}

type ServedParts = Pick<Service, 'container' | 'database'>;

export async function startApi(
  service: ServedParts,
  config: Config,
  logger: Logger,
  timeouts = EDGE_TIMEOUTS,
): Promise<Api> {
  const uploads = { directory: join(config.dataDir, UPLOADS), maxFileBytes: config.uploadLimit };
  await makeFolder(uploads.directory, 0o700);
  await removeStaleUploads(uploads);
  let isDraining = false;
  const app = buildApp(service, config, logger, {
    uploads,
    jsonBodyMs: timeouts.jsonBody,
    isDraining: () => isDraining,
  });
  const edge = createEdgeServer(app, timeouts, createExpressMessages(app));
  await new Promise<void>((resolve, reject) => edge.server.once('error', reject).listen(config.port, resolve));
  const stop = (): Promise<void> => {
    isDraining = true;
    return edge.drain();
  };
  return { port: (edge.server.address() as AddressInfo).port, stop };
}

type ServerParts = Pick<Edge, 'uploads' | 'jsonBodyMs'> & Pick<PublicParts, 'isDraining'>;

function buildApp(
  { container, database }: ServedParts,
  config: Config,
  logger: Logger,
  { uploads, jsonBodyMs, isDraining }: ServerParts,
): Express {
  const metrics = new Metrics(database.health);
  const routes = container.get(TOKENS.Routes);
  const clock = container.get(TOKENS.Clock);
  const { store } = container.get(TOKENS.Library).library;
  return createExpressApp({
    routes,
    tokens: container.get(TOKENS.AccessTokens),
    keyedCalls: database.keyedCalls,
    calls: database.calls,
    clock,
    jsonLimit: config.jsonLimit,
    jsonBodyMs,
    uploads,
    corsOrigins: config.corsOrigins,
    rateLimit: config.rateLimit,
    observer: observerOf(logger, metrics),
    isBusy: () => database.health.connections().waiting >= config.databasePoolSize * MAX_WAITING_CALLS_PER_CONNECTION,
    mountOutsideBasePath: mountPublic({
      readiness: new Readiness(database.health, store, logger, clock),
      metrics,
      reference: () => JSON.stringify(buildOpenApiDocument(routes, VERSION)),
      isDraining,
      objects: database.mediaObjectQueries,
      store,
    }),
  });
}
