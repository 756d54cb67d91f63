import express, { type Express } from 'express';
import { createExpressMessages } from '../http/express-messages.js';
import { labelRoute } from '../http/request-log.js';
import { createHttpServer, listen, type ListenAddress } from '../http/server.js';
import { TOKENS } from '../tokens.js';
import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';
import type { Service } from './service.js';

export interface Probes {
  readonly readiness: Readiness;
  readonly metrics: Pick<Metrics, 'text'>;
  readonly isDraining: () => boolean;
}

export function mountProbes(app: Express, { readiness, metrics, isDraining }: Probes): void {
  app.get('/health/live', labelRoute('/health/live'), (_request, response) => void response.json({ status: 'live' }));
  app.get('/health/ready', labelRoute('/health/ready'), async (_request, response) => {
    const isReady = !isDraining() && (await readiness.check());
    response.status(isReady ? 200 : 503).json({ status: isReady ? 'ready' : 'not ready' });
  });
  app.get('/metrics', labelRoute('/metrics'), async (_request, response) => {
    const { type, body } = await metrics.text();
    response.setHeader('Content-Type', type);
    response.end(body);
  });
}

export interface AdminServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server with the routes that `mount` adds, and no others. */
export async function startAdminServer(address: ListenAddress, mount: (app: Express) => void): Promise<AdminServer> {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  mount(app);
  app.use((_request, response) => void response.status(404).json([]));
  const httpServer = createHttpServer(app, undefined, createExpressMessages(app));
  return { port: await listen(httpServer.server, address), stop: () => httpServer.drain() };
}

export async function startProbes(
  { container, database }: Pick<Service, 'container' | 'database'>,
  address: ListenAddress,
  logger: Logger,
  metrics: Metrics,
): Promise<AdminServer> {
  let isDraining = false;
  const { store } = container.get(TOKENS.Library).library;
  const readiness = new Readiness(database, store, logger, container.get(TOKENS.Clock));
  const server = await startAdminServer(address, (app) =>
    mountProbes(app, { readiness, metrics, isDraining: () => isDraining }),
  );
  const stop = (): Promise<void> => {
    isDraining = true;
    return server.stop();
  };
  return { port: server.port, stop };
}
