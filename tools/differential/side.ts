import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseOpener } from '@back-office/database';
import { readConfig } from '../../apps/api/src/config.js';
import { containerOf } from '../../apps/api/src/container.js';
import type { Route } from '../../apps/api/src/http/route.js';
import { EDGE_TIMEOUTS } from '../../apps/api/src/http/server.js';
import { openLibraryTools } from '../../apps/api/src/media/index.js';
import { openRefundGateway } from '../../apps/api/src/proformas/index.js';
import { startApi } from '../../apps/api/src/runtime/api.js';
import { choresOf } from '../../apps/api/src/runtime/chores.js';
import { loggerOf } from '../../apps/api/src/runtime/logger.js';
import { refundReportOf } from '../../apps/api/src/runtime/observer.js';
import { MovableClock } from '../../apps/api/src/testing/movable-clock.js';
import { RawHttp, type RawCall, type RawReply } from '../../apps/api/src/testing/raw-http.js';
import { TOKENS } from '../../apps/api/src/tokens.js';

export interface Side {
  readonly routes: readonly Route[];
  call(call: RawCall): Promise<RawReply>;
  createApp(currency: string): Promise<string>;
  /** Moves the clock by a number of seconds, which is negative only between runs. */
  forward(seconds: number): void;
  /** Runs pending jobs and returns the number of failures. */
  runJobs(): Promise<number>;
  /** Runs every chore once and returns the results by name. */
  runChores(): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

export type OpenSide = (environment: Readonly<Record<string, string>>) => Promise<Side>;

/** Opens the whole service on a database of `openDatabase`. */
export function sideOn(openDatabase: DatabaseOpener): OpenSide {
  return async (environment) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'differential-'));
    const config = { ...readConfig({ LOG_LEVEL: 'silent', DATA_DIR: dataDir, ...environment }), port: 0 };
    const logger = loggerOf(config);
    const media = await openLibraryTools(config);
    const refunds = await openRefundGateway(config, refundReportOf(logger));
    const clock = new MovableClock();
    const opening = await openDatabase({
      environment: config.environment,
      clock,
      publicBase: () => media.library.base,
      isPublished: () => media.library.isPublished,
    });
    const { database } = opening;
    const container = containerOf(database, { refunds, media }, clock);
    const api = await startApi({ container, database }, config, logger, EDGE_TIMEOUTS);
    const http = new RawHttp(`http://127.0.0.1:${api.port}`);
    const queue = database.jobQueue(2);
    let failures = 0;
    const onFailure = (): void => void (failures += 1);
    const worker = queue.worker(container.get(TOKENS.Library).tasks.createJobTasks(onFailure), onFailure);
    const chores = choresOf(container, logger);
    return {
      routes: container.get(TOKENS.Routes),
      call: (call) => http.call(call),
      createApp: async (currency) => {
        const apps = container.get(TOKENS.Apps);
        const appId = await apps.create({ name: 'Shop', currency });
        return (await apps.issueToken({ appId })) as string;
      },
      forward: (seconds) => clock.forward({ seconds }),
      runJobs: async () => {
        failures = 0;
        await worker.drain();
        return failures;
      },
      runChores: async () => {
        const results: Record<string, unknown> = {};
        for (const chore of chores) {
          results[chore.name] = await chore
            .run(new AbortController().signal)
            .catch((error: unknown) => `failed: ${String(error)}`);
        }
        await container.get(TOKENS.WebhookDispatcher).idle();
        return results;
      },
      close: async () => {
        http.close();
        await api.stop();
        await queue.close();
        await Promise.all([media.close(), refunds.close?.()]);
        await opening.close();
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  };
}
