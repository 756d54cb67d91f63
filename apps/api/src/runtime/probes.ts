import express, { type Express } from 'express';
import type { AddressInfo } from 'node:net';
import type { Config } from '../config.js';
import { createExpressMessages } from '../http/express-messages.js';
import { labelRoute } from '../http/request-log.js';
import { createEdgeServer } from '../http/server.js';
import { TOKENS } from '../tokens.js';
import type { Logger } from './logger.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';
import type { Service } from './service.js';

export interface Probes {
  readonly readiness: Readiness;
  readonly metrics: Metrics;
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

/** Serves only the probes, for a process without the API. */
export async function startProbes(
  { container, database }: Pick<Service, 'container' | 'database'>,
  port: NonNullable<Config['workerPort']>,
  logger: Logger,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  let isDraining = false;
  const { store } = container.get(TOKENS.Library).library;
  const readiness = new Readiness(database.health, store, logger, container.get(TOKENS.Clock));
  const app = express();
  app.disable('x-powered-by').disable('etag');
  mountProbes(app, { readiness, metrics: new Metrics(database.health), isDraining: () => isDraining });
  app.use((_request, response) => void response.status(404).json([]));
  const edge = createEdgeServer(app, undefined, createExpressMessages(app));
  await new Promise<void>((resolve, reject) => edge.server.once('error', reject).listen(port, resolve));
  const stop = (): Promise<void> => {
    isDraining = true;
    return edge.drain();
  };
  return { port: (edge.server.address() as AddressInfo).port, stop };
}
