import { randomUUID } from 'node:crypto';
import { mkdtemp, chmod, rm, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container } from 'inversify';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { addHours, type Clock } from '@back-office/kernel';
import { blobKey } from '@back-office/media';
import { DiskMediaStore } from '@back-office/storage-disk';
import { check } from '@back-office/database-postgres';
import { readConfig } from '../../apps/api/src/config.js';
import { startService } from '../../apps/api/src/runtime/service.js';
import { TOKENS } from '../../apps/api/src/tokens.js';
import { freePort } from '../../apps/api/src/testing/free-port.js';
import { makeApps, withApps } from '../../apps/api/src/runtime/with-apps.js';
import { Caller } from './caller.js';
import { DatabaseServer } from './database-server.js';
import { EventReceiver } from './event-receiver.js';
import { Gateway } from './gateway.js';
import { Load, newHistory, openShop, signIn, type History } from './load.js';
import { ServiceProcess } from './processes.js';
import type { SeededBug } from './seeded-bug-list.js';
import { Proxy } from './proxy.js';
import { ENDPOINT_POSITION, INTERRUPTED_UPLOAD } from './verify.query.js';

const CLIENT_COUNT = 8;
const WORKER_SEEN = 'select 1 from job_queue.workers where seen_at > $1';
const FAULTY_STORE_PATH = fileURLToPath(new URL('faulty-store.mjs', import.meta.url));
const READY_MS = 30_000;
/** Longer than the lease of a key. After the lease has ended, a repeated call may still succeed. */
const SEEDED_TIMEOUT_MS = 25_000;

/** A PostgreSQL server with one database per run. */
export interface Fixture {
  readonly server: DatabaseServer;
  stop(): Promise<void>;
}

export async function openFixture(): Promise<Fixture> {
  const directory = await mkdtemp(join(tmpdir(), 'back-office-faults-'));
  await chmod(directory, 0o755);
  const server = await DatabaseServer.start(join(directory, 'database'));
  return {
    server,
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Two API servers and a worker. Scenarios can break their database, network, store and payment service. */
export class Rig {
  readonly history: History = newHistory();
  private load: Load | undefined;

  private constructor(
    readonly server: DatabaseServer,
    readonly database: string,
    readonly dataDir: string,
    readonly proxy: Proxy,
    readonly gateway: Gateway,
    readonly receiver: EventReceiver,
    readonly apis: readonly [ServiceProcess, ServiceProcess],
    readonly worker: ServiceProcess,
    readonly caller: Caller,
    private readonly customer: Caller,
    /** Client of another app, which must not see any record of the shop. */
    readonly stranger: Caller,
    readonly bankTransferId: number,
    /** The receiver of the shop gets the events after this position in the feed. */
    readonly firstEventPosition: number,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  static async open({ server }: Fixture, name: string, seededBug?: Pick<SeededBug, 'changes'>): Promise<Rig> {
    await server.createDatabase(name);
    const [proxy, gateway] = [await Proxy.start(server.socketPath), await Gateway.start()];
    const receiver = await EventReceiver.start();
    const dataDir = await mkdtemp(join(tmpdir(), 'back-office-faults-data-'));
    const environment = {
      PATH: '/usr/bin:/bin',
      DATABASE_URL: server.urlThrough(proxy.port, name),
      DATA_DIR: dataDir,
      STORAGE: FAULTY_STORE_PATH,
      REFUND_URL: gateway.url,
      WEBHOOK_NETWORKS: '127.0.0.1',
      WORKER: 'off',
      LOG_LEVEL: 'warn',
    };
    const ports = [await freePort(), await freePort()] as const;
    const apis = [
      new ServiceProcess('main', environment, ports[0], seededBug),
      new ServiceProcess('main', environment, ports[1], seededBug),
    ] as const;
    const worker = new ServiceProcess('worker', environment, 0, seededBug);
    await apis[0].start();
    await Promise.all([apis[1].start(), worker.start()]);
    const timeoutMs = seededBug === undefined ? undefined : SEEDED_TIMEOUT_MS;
    const origins = apis.map(({ origin }) => origin);
    const [shopApp, strangerApp] = await makeApps(environment, ['Shop', 'Stranger']);
    const caller = new Caller(shopApp.id, shopApp.token, origins, timeoutMs);
    const stranger = new Caller(strangerApp.id, strangerApp.token, origins);
    const bankTransferId = await openShop(caller);
    await caller.callUntilKnown('POST', '/webhook_endpoints', { webhook_endpoint: { url: receiver.url } });
    const [endpoint] = await server.rows<{ position: string }>(name, ENDPOINT_POSITION, [shopApp.id]);
    receiver.mode = 'flaky';
    const customer = new Caller(shopApp.id, await signIn(caller), origins, timeoutMs);
    const services = [apis, worker] as const;
    const callers = [caller, customer, stranger] as const;
    return new Rig(
      server,
      name,
      dataDir,
      proxy,
      gateway,
      receiver,
      ...services,
      ...callers,
      bankTransferId,
      Number(endpoint?.position),
      environment,
    );
  }

  rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.server.rows<Row>(this.database, text, values);
  }

  /** Applies the fault while clients send calls, then checks the rules and lets the clients finish. */
  async underLoad(fault: () => Promise<void>, { beforeMs = 700, afterMs = 700 } = {}): Promise<void> {
    this.startLoad();
    try {
      await pause(beforeMs);
      await fault();
      await pause(afterMs);
      for (const breach of await this.brokenRules()) this.history.contradictions.push(`under load: ${breach}`);
    } finally {
      await this.stopLoad();
    }
  }

  /** Returns the rules of `check` that are broken at the time `now`. */
  async brokenRules(now = new Date()): Promise<string[]> {
    const store = await this.openStore();
    const connection = { url: this.server.urlThrough(this.proxy.port, this.database) };
    const results = await check(connection, store, now);
    return results
      .filter(({ breaches }) => breaches > 0)
      .map(({ name, breaches, examples }) => `${name}: ${breaches} times, ${examples[0]}`);
  }

  /** Runs the daily sweep of the store as if `hours` had passed. Returns the number of removed orphans. */
  sweepLater(hours: number): Promise<number> {
    return this.runLater(hours, (container) => container.get(TOKENS.Library).sweep.run());
  }

  /** Removes interrupted uploads, as a worker does once `hours` have passed. */
  async removeInterruptedLater(hours: number): Promise<void> {
    await this.runLater(hours, async (container) => {
      const { uploadReceipts: receipts } = container.get(TOKENS.Database);
      while (await receipts.sweep());
    });
  }

  private async runLater<Result>(hours: number, work: (container: Container) => Promise<Result>): Promise<Result> {
    const clock: Clock = { now: () => addHours(new Date(), hours) };
    const service = await startService({ ...readConfig(this.environment), databasePoolSize: 1 }, { clock });
    try {
      return await work(service.container);
    } finally {
      await service.stop();
    }
  }

  /** Stores two orphans: one without a record, and one of an interrupted upload. Returns the key of the second one. */
  async addOrphans(): Promise<string> {
    const [app] = await this.rows<{ prefix: string }>('select media_prefix as prefix from apps where id = $1', [
      this.caller.appId,
    ]);
    const store = await this.openStore();
    const [unknownKey, interruptedKey] = [
      blobKey(app?.prefix ?? '', randomUUID()),
      blobKey(app?.prefix ?? '', randomUUID()),
    ];
    for (const key of [unknownKey, interruptedKey]) await store.put(key, Readable.from([Buffer.from('lost')]));
    await this.rows(INTERRUPTED_UPLOAD, [this.caller.appId, interruptedKey]);
    return interruptedKey;
  }

  /** Opens the store that all processes share, without injected faults. */
  openStore(): Promise<DiskMediaStore> {
    return DiskMediaStore.open(join(this.dataDir, 'media'));
  }

  startLoad(): void {
    this.load = new Load(
      { shop: this.caller, customer: this.customer },
      this.bankTransferId,
      this.history,
      CLIENT_COUNT,
    );
  }

  async stopLoad(): Promise<void> {
    await this.load?.stop();
    this.load = undefined;
  }

  async newServers(database: string): Promise<[ServiceProcess, ServiceProcess]> {
    const url = this.server.urlThrough(this.proxy.port, database);
    const environment = { ...this.environment, DATABASE_URL: url, DATA_DIR: join(this.dataDir, database) };
    const newServer = async () => new ServiceProcess('main', environment, await freePort());
    return [await newServer(), await newServer()];
  }

  /** Starts the worker. Returns the milliseconds until it has started to work. */
  async restartWorker(): Promise<number> {
    const [{ now } = { now: '' }] = await this.rows<{ now: string }>('select now()::text as now');
    const startMs = performance.now();
    await this.worker.start();
    while (performance.now() - startMs < READY_MS) {
      if ((await this.rows(WORKER_SEEN, [now])).length > 0) return performance.now() - startMs;
      await pause(20);
    }
    throw new Error(`The worker does not work: ${this.worker.output.slice(-300)}`);
  }

  newWorker(): ServiceProcess {
    return new ServiceProcess('worker', this.environment, 0);
  }

  issueToken(): Promise<string> {
    return withApps(this.environment, async (apps) => (await apps.issueToken({ appId: this.caller.appId })) as string);
  }

  async revokeToken(token: string): Promise<void> {
    await withApps(this.environment, (apps) => apps.revokeToken(token));
  }

  /** Returns the milliseconds until both servers are ready. */
  async untilReady(): Promise<number> {
    return Math.max(...(await Promise.all(this.apis.map((api) => api.untilReady(READY_MS)))));
  }

  /** Makes the stores of all processes fail in this mode. */
  async setStoreFault(fault: 'none' | 'fails' | 'slow' | 'full' | 'breaks off'): Promise<void> {
    await writeFile(join(this.dataDir, 'store-fault'), fault);
  }

  async close(): Promise<void> {
    await this.stopLoad().catch(() => {});
    this.proxy.setState('whole');
    await Promise.all([...this.apis, this.worker].map((service) => service.signal('SIGKILL')));
    this.proxy.stop();
    this.gateway.stop();
    this.receiver.stop();
    await this.server.dropDatabase(this.database);
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
