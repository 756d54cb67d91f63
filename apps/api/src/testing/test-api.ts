import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import supertest from 'supertest';
import { containerOf } from '../container.js';
import { readConfig } from '../config.js';
import type { Postgres } from '@back-office/database-postgres';
import { openRefundGateway } from '../proformas/index.js';
import { openLibraryTools } from '../media/index.js';
import { BASE_PATH } from '../http/base-path.js';
import { EDGE_TIMEOUTS, type EdgeTimeouts } from '../http/server.js';
import { startApi } from '../runtime/api.js';
import { loggerOf } from '../runtime/logger.js';
import { refundReportOf } from '../runtime/observer.js';
import { TOKENS } from '../tokens.js';
import type { Container } from 'inversify';
import { databaseUnderTest } from './database-under-test.js';
import { conformanceOf, type Conformance } from './conformance.js';
import { MovableClock } from './movable-clock.js';
import { RawHttp, type RawReply } from './raw-http.js';
import { checkFilesAreClosed } from './open-files.js';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed body. */
  // eslint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Calls of one app. Every answer is validated against the API reference. */
export interface Client {
  readonly appId: number;
  readonly token: string;
  /** The same calls, each with this `Idempotency-Key`. */
  keyed(key: string): Client;
  get(path: string): Promise<Reply>;
  post(path: string, body?: unknown): Promise<Reply>;
  put(path: string, body?: unknown): Promise<Reply>;
  patch(path: string, body?: unknown): Promise<Reply>;
  delete(path: string, body?: unknown): Promise<Reply>;
  /** A form with a file in its field `file`, or without one. */
  upload(path: string, file?: Upload, fields?: Readonly<Record<string, string | readonly string[]>>): Promise<Reply>;
}

export interface Upload {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly mime?: string;
}

export interface TestApi {
  readonly origin: string;
  readonly url: string;
  /** The folder of all files, including unfinished uploads. */
  readonly dataDir: string;
  readonly clock: MovableClock;
  /** The tests' own connections. */
  readonly database: Postgres;
  /** The service's connections. */
  readonly postgres: Postgres;
  readonly container: Container;
  /** All statements of the service so far, except those that TypeORM adds. */
  readonly statements: string[];
  /** Errors of background jobs so far. */
  readonly jobFailures: unknown[];
  /** Runs all pending background jobs. */
  work(): Promise<void>;
  /** Creates an app. */
  app(currency?: string): Promise<Client>;
  /** The same client, calling these servers in turn. */
  through(client: Client, origins: readonly string[]): Client;
  /** Throws when a statement was not limited to one app, or a stored file is still open. */
  close(): Promise<void>;
}

/** The whole service on a real port and its own database, with a test clock and without a log. */
export async function testApi(
  environment: Readonly<Record<string, string>> = {},
  timeouts: Partial<EdgeTimeouts> = {},
): Promise<TestApi> {
  const ownDir = await mkdtemp(join(tmpdir(), 'back-office-'));
  const config = readConfig({ LOG_LEVEL: 'silent', DATA_DIR: ownDir, ...environment });
  const logger = loggerOf(config);
  // A bad configuration throws here, before the database is opened.
  const media = await openLibraryTools(config);
  const refunds = await openRefundGateway(config, refundReportOf(logger));
  const clock = new MovableClock();
  const { base, isPublished } = media.library;
  const options = { clock, publicBase: () => base, isPublished: () => isPublished };
  const under = await databaseUnderTest(options, config.databasePoolSize);
  const { database } = under;
  const container = containerOf(database, { refunds, media }, clock);
  const anyPort = { ...config, port: 0 };
  const api = await startApi({ container, database }, anyPort, logger, { ...EDGE_TIMEOUTS, ...timeouts });
  const queue = database.jobQueue(2);
  const jobFailures: unknown[] = [];
  const onFailure = (error: unknown) => jobFailures.push(error);
  const worker = queue.worker(container.get(TOKENS.Library).tasks.createJobTasks(onFailure), onFailure);
  const origin = `http://127.0.0.1:${api.port}`;
  const connections = new Agent({ keepAlive: true });
  const calls: Calls = { connections, conformance: conformanceOf(container.get(TOKENS.Routes)), headers: {} };
  return {
    origin,
    get url() {
      return under.url;
    },
    dataDir: config.dataDir,
    clock,
    get database() {
      return under.inspection;
    },
    get postgres() {
      return under.postgres;
    },
    container,
    get statements() {
      return under.statements;
    },
    jobFailures,
    work: () => worker.drain(),
    app: async (currency = 'RSD') => {
      const apps = container.get(TOKENS.Apps);
      const appId = await apps.create({ name: 'Test', currency });
      return clientOf(() => origin, appId, (await apps.issueToken({ appId })) as string, calls);
    },
    through: ({ appId, token }, origins) => {
      let turn = 0;
      return clientOf(() => origins[turn++ % origins.length] ?? origin, appId, token, calls);
    },
    close: async () => {
      connections.destroy();
      await api.stop();
      await queue.close();
      await Promise.all([media.close(), refunds.close?.()]);
      const checks = Promise.all([under.close(), checkFilesAreClosed(config.dataDir)]);
      await checks.catch(() => {});
      await rm(ownDir, { recursive: true, force: true });
      await checks;
    },
  };
}

type Answer = Pick<RawReply, 'status' | 'text' | 'headers'>;

interface Calls {
  /** A new connection costs as much as a small call. */
  readonly connections: Agent;
  readonly conformance: Conformance;
  readonly headers: Readonly<Record<string, string>>;
}

function clientOf(origin: () => string, appId: number, token: string, calls: Calls): Client {
  const { connections, conformance, headers } = calls;
  const authorized = { Authorization: `Bearer ${token}`, ...headers };
  const call = async (method: Method, path: string, sent?: unknown): Promise<Reply> => {
    const { pathname, search } = new URL(origin() + BASE_PATH + path);
    const body = sent === undefined ? undefined : JSON.stringify(sent);
    const typed = body === undefined ? authorized : { ...authorized, 'Content-Type': 'application/json' };
    const http = new RawHttp(origin(), connections);
    const reply = await http.call({ method: method.toUpperCase(), path: pathname + search, headers: typed, body });
    return checked(reply, method, path, sent);
  };
  const upload: Client['upload'] = async (path, file, fields = {}) => {
    const request = supertest(origin())
      .post(BASE_PATH + path)
      .agent(connections)
      .set(authorized);
    for (const [name, values] of Object.entries(fields)) {
      for (const value of [values].flat()) request.field(name, value as string);
    }
    const { name: filename = '', bytes, mime = 'application/octet-stream' } = file ?? {};
    if (bytes) request.attach('file', Buffer.from(bytes), { filename, contentType: mime });
    return checked(await request, 'post', path, undefined);
  };
  const checked = ({ status, text, headers: received }: Answer, method: Method, path: string, sent: unknown) => {
    const complaints = conformance.complaints({ method, path: BASE_PATH + path, sent, status, text });
    if (complaints.length > 0) throw new Error(`Not as the API reference says:\n${complaints.join('\n')}`);
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    return { status, headers: received as Readonly<Record<string, string>>, text, body };
  };
  return {
    appId,
    token,
    keyed: (key) => clientOf(origin, appId, token, { ...calls, headers: { 'Idempotency-Key': key } }),
    get: (path) => call('get', path),
    post: (path, body) => call('post', path, body),
    put: (path, body) => call('put', path, body),
    patch: (path, body) => call('patch', path, body),
    delete: (path, body) => call('delete', path, body),
    upload,
  };
}
