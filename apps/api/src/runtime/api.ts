import { Turns } from '@back-office/kernel';
import { makePrivateFolder } from '@back-office/storage-disk';
import { join } from 'node:path';
import type { Express } from 'express';
import { describeEvents } from '../events/index.js';
import { serveMedia } from '../media/index.js';
import type { Config } from '../config.js';
import { createExpressMessages } from '../http/express-messages.js';
import { LargeCalls } from '../http/large-calls.js';
import { MAX_STARTS } from '../http/start-in-turn.js';
import { createExpressApp, type AppParts } from '../http/express-app.js';
import { removeStaleUploads } from '../http/multipart.js';
import { buildOpenApiDocument } from '../http/openapi.js';
import { readApiExamples } from '../http/openapi-examples.js';
import type { Route } from '../http/route.js';
import { createHttpServer, EDGE_TIMEOUTS, listen } from '../http/server.js';
import { TOKENS } from '../tokens.js';
import { openCallCounters } from './call-counters.js';
import { watchDatabase } from './database-metrics.js';
import type { Logger } from './logger.js';
import { Metrics } from './metrics.js';
import { observerOf } from './observer.js';
import { Readiness } from './readiness.js';
import { mountAdmin, type AdminParts } from './admin-routes.js';
import { startAdminServer, type AdminServer } from './probes.js';
import type { Service } from './service.js';
import { API_VERSION } from '../version.js';

const UPLOADS_FOLDER = 'uploads';

/** Maximum number of calls per database connection; further calls would time out in the queue. */
const MAX_CALLS_PER_CONNECTION = 50;
/** Allows many look-ups, because behind an untrusted proxy all clients have the address of the proxy. */
const MAX_LOOK_UPS_PER_ADDRESS = 1_000;

export interface Api {
  readonly port: number;
  /** `undefined` when health, metrics and the API reference are on the port of the API. */
  readonly adminPort: number | undefined;
  /** During `graceMs`, idle connections stay open for one more call. */
  stop(graceMs?: number): Promise<void>;
}

type ServedParts = Pick<Service, 'container' | 'database'>;

export async function startApi(
  service: ServedParts,
  config: Config,
  logger: Logger,
  timeouts = EDGE_TIMEOUTS,
): Promise<Api> {
  const uploads = { directory: join(config.dataDir, UPLOADS_FOLDER), maxFileBytes: config.uploadLimit };
  await makePrivateFolder(uploads.directory);
  await removeStaleUploads(uploads);
  let isDraining = false;
  const starts = new Turns<number | string>(MAX_STARTS);
  const metrics = new Metrics(service.database.health, () => starts.waitingCount);
  watchDatabase(metrics, service.container);
  metrics.watchFreeBytes(config.dataDir);
  const counters = openCallCounters(config, logger);
  const adminParts = adminPartsOf(service, config, logger, { metrics, isDraining: () => isDraining });
  const app = buildApp(service, config, observerOf(logger, metrics), {
    uploads,
    jsonBodyMs: timeouts.jsonBody,
    rateLimits: counters.limits,
    starts,
    mountAdminParts: (publicApp) => config.adminPort === undefined && mountAdmin(publicApp, adminParts),
  });
  const httpServer = createHttpServer(app, timeouts, createExpressMessages(app));
  const port = await listen(httpServer.server, config);
  const admin = await startAdmin(config, adminParts).catch(async (error: unknown) => {
    await httpServer.drain();
    throw error;
  });
  const stop = async (graceMs?: number): Promise<void> => {
    isDraining = true;
    service.container.get(TOKENS.EventWaits).stop();
    // The admin port closes last, so that health checks report the shutdown until the last call has ended.
    await httpServer.drain(graceMs);
    await admin?.stop();
    counters.close();
  };
  return { port, adminPort: admin?.port, stop };
}

async function startAdmin(
  { adminPort: port, adminHost: host }: Config,
  parts: AdminParts,
): Promise<AdminServer | undefined> {
  return port === undefined ? undefined : startAdminServer({ port, host }, (app) => mountAdmin(app, parts));
}

function adminPartsOf(
  { container, database }: ServedParts,
  { docs, publicUrl, adminPort }: Config,
  logger: Logger,
  parts: Pick<AdminParts, 'metrics' | 'isDraining'>,
): AdminParts {
  const routes = container.get(TOKENS.Routes);
  const { store } = container.get(TOKENS.Library).library;
  const readiness = new Readiness(database, store, logger, container.get(TOKENS.Clock));
  return {
    ...parts,
    readiness,
    startPage: { publicUrl, isApiOnOtherPort: adminPort !== undefined },
    reference: docs ? () => JSON.stringify(buildReference(routes)) : undefined,
  };
}

function buildReference(routes: readonly Route[]): object {
  return buildOpenApiDocument(routes, API_VERSION, describeEvents(), readApiExamples());
}

interface ServerParts extends Pick<AppParts, 'uploads' | 'jsonBodyMs' | 'rateLimits' | 'starts'> {
  readonly mountAdminParts: (app: Express) => unknown;
}

function buildApp(
  { container, database }: ServedParts,
  config: Config,
  observer: AppParts['observer'],
  { uploads, jsonBodyMs, rateLimits, starts, mountAdminParts }: ServerParts,
): Express {
  const routes = container.get(TOKENS.Routes);
  const clock = container.get(TOKENS.Clock);
  const { library, publicObjects: objects } = container.get(TOKENS.Library);
  const { store } = library;
  return createExpressApp({
    routes,
    tokens: container.get(TOKENS.AccessTokens),
    onAuthenticated: (holder) => container.get(TOKENS.TokenUses).note(holder),
    keyedCalls: database.keyedCalls,
    calls: database.calls,
    clock,
    jsonLimit: config.jsonLimit,
    jsonBodyMs,
    uploads,
    corsOrigins: config.corsOrigins,
    rateLimits,
    observer,
    maxCalls: {
      perApp: config.databasePoolSize * MAX_CALLS_PER_CONNECTION,
      perAddress: MAX_LOOK_UPS_PER_ADDRESS,
    },
    trustProxy: config.trustProxy,
    starts,
    largeCalls: new LargeCalls(),
    mountOutsideBasePath: (app) => {
      mountAdminParts(app);
      serveMedia(app, { objects, store, calls: database.calls, maxLookUps: MAX_LOOK_UPS_PER_ADDRESS });
    },
  });
}
