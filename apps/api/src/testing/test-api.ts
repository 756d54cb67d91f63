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
import { EDGE_TIMEOUTS, type ServerTimeouts } from '../http/server.js';
import { startApi } from '../runtime/api.js';
import { loggerOf } from '../runtime/logger.js';
import { refundReportOf } from '../runtime/observer.js';
import { TOKENS } from '../tokens.js';
import type { WebhookDispatcher } from '../webhooks/index.js';
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
  // eslint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Sends calls of one app, and checks each request and answer against the API reference. */
export interface Client {
  readonly appId: number;
  readonly token: string;
  /** Returns a client that adds this `Idempotency-Key` to each call. */
  keyed(key: string): Client;
  /** Returns a client that adds these headers to each call. */
  with(headers: Readonly<Record<string, string>>): Client;
  get(path: string): Promise<Reply>;
  post(path: string, body?: unknown): Promise<Reply>;
  put(path: string, body?: unknown): Promise<Reply>;
  patch(path: string, body?: unknown): Promise<Reply>;
  delete(path: string, body?: unknown): Promise<Reply>;
  /** Sends a form, with the file in the field `file` if a file is given. */
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
  /** Folder of all files, including unfinished uploads. */
  readonly dataDir: string;
  readonly clock: MovableClock;
  /** Connections of the tests. */
  readonly database: Postgres;
  /** Connections of the service. */
  readonly postgres: Postgres;
  readonly container: Container;
  /** All statements of the service so far, except those that TypeORM adds by itself. */
  readonly statements: string[];
  readonly jobFailures: unknown[];
  runJobs(): Promise<void>;
  /** Delivers events to all due endpoints. Throws when a result cannot be stored. */
  deliverWebhooks(): Promise<void>;
  app(currency?: string): Promise<Client>;
  /** Returns a client of the app that sends this token. */
  clientWith(appId: number, token: string): Client;
  /** Returns a client of the same app that sends its calls to these servers in turn. */
  withOrigins(client: Client, origins: readonly string[]): Client;
  /** Stops the service. Throws when a statement breaks a rule of `SentStatements`, or when a stored file is still open. */
  close(): Promise<void>;
}

/** Starts the whole service on a free port, with its own database, a test clock and no log. */
export async function testApi(
  environment: Readonly<Record<string, string>> = {},
  timeouts: Partial<ServerTimeouts> = {},
): Promise<TestApi> {
  const dataDir = await mkdtemp(join(tmpdir(), 'back-office-'));
  const config = readConfig({ LOG_LEVEL: 'silent', DATA_DIR: dataDir, ...environment });
  const logger = loggerOf(config);
  // An invalid configuration must throw before the database is opened.
  const media = await openLibraryTools(config);
  const refunds = await openRefundGateway(config, refundReportOf(logger));
  const clock = new MovableClock();
  const { base, isPublished } = media.library;
  const options = { clock, publicBase: () => base, isPublished: () => isPublished };
  const testDatabase = await databaseUnderTest(options, config.databasePoolSize);
  const { database } = testDatabase;
  const container = containerOf(database, { refunds, media, webhookNetworks: config.webhookNetworks }, clock);
  const apiConfig = { ...config, port: 0 };
  const api = await startApi({ container, database }, apiConfig, logger, { ...EDGE_TIMEOUTS, ...timeouts });
  const queue = database.jobQueue(2);
  const jobFailures: unknown[] = [];
  const onFailure = (error: unknown) => jobFailures.push(error);
  const worker = queue.worker(container.get(TOKENS.Library).tasks.createJobTasks(onFailure), onFailure);
  const origin = `http://127.0.0.1:${api.port}`;
  const connections = new Agent({ keepAlive: true });
  const settings: ClientSettings = {
    agent: connections,
    conformance: conformanceOf(container.get(TOKENS.Routes)),
    headers: {},
  };
  return {
    origin,
    get url() {
      return testDatabase.url;
    },
    dataDir: config.dataDir,
    clock,
    get database() {
      return testDatabase.inspection;
    },
    get postgres() {
      return testDatabase.postgres;
    },
    container,
    get statements() {
      return testDatabase.statements;
    },
    jobFailures,
    runJobs: () => worker.drain(),
    deliverWebhooks: () => deliverAll(container.get(TOKENS.WebhookDispatcher)),
    app: async (currency = 'RSD') => {
      const apps = container.get(TOKENS.Apps);
      const appId = await apps.create({ name: 'Test', currency });
      return clientOf(() => origin, appId, (await apps.issueToken({ appId })) as string, settings);
    },
    clientWith: (appId, token) => clientOf(() => origin, appId, token, settings),
    withOrigins: ({ appId, token }, origins) => {
      let callCount = 0;
      return clientOf(() => origins[callCount++ % origins.length] ?? origin, appId, token, settings);
    },
    close: async () => {
      connections.destroy();
      await api.stop();
      await queue.close();
      await Promise.all([media.close(), refunds.close?.()]);
      const checks = Promise.all([testDatabase.close(), checkFilesAreClosed(config.dataDir)]);
      await checks.catch(() => {});
      await rm(dataDir, { recursive: true, force: true });
      await checks;
    },
  };
}

async function deliverAll(dispatcher: WebhookDispatcher): Promise<void> {
  const errors: unknown[] = [];
  const report = { switchedOff: () => {}, failed: (_app: number, _id: number, error: unknown) => errors.push(error) };
  await dispatcher.start(new AbortController().signal, report);
  await dispatcher.idle();
  if (errors.length > 0) throw errors[0];
}

type Answer = Pick<RawReply, 'status' | 'text' | 'headers'>;

interface ClientSettings {
  /** Clients share connections, because opening one takes as long as a small call. */
  readonly agent: Agent;
  readonly conformance: Conformance;
  readonly headers: Readonly<Record<string, string>>;
}

function clientOf(origin: () => string, appId: number, token: string, settings: ClientSettings): Client {
  const { agent, conformance, headers } = settings;
  const authorized = { Authorization: `Bearer ${token}`, ...headers };
  const withHeaders = (added: ClientSettings['headers']) =>
    clientOf(origin, appId, token, { ...settings, headers: { ...headers, ...added } });
  const call = async (method: Method, path: string, content?: unknown): Promise<Reply> => {
    const { pathname, search } = new URL(origin() + BASE_PATH + path);
    const body = content === undefined ? undefined : JSON.stringify(content);
    const callHeaders = body === undefined ? authorized : { ...authorized, 'Content-Type': 'application/json' };
    const http = new RawHttp(origin(), agent);
    const reply = await http.call({
      method: method.toUpperCase(),
      path: pathname + search,
      headers: callHeaders,
      body,
    });
    return checkReply(reply, method, path, content);
  };
  const upload: Client['upload'] = async (path, file, fields = {}) => {
    const request = supertest(origin())
      .post(BASE_PATH + path)
      .agent(agent)
      .set(authorized);
    for (const [name, values] of Object.entries(fields)) {
      for (const value of [values].flat()) request.field(name, value as string);
    }
    const { name: filename = '', bytes, mime = 'application/octet-stream' } = file ?? {};
    if (bytes) request.attach('file', Buffer.from(bytes), { filename, contentType: mime });
    return checkReply(await request, 'post', path, undefined);
  };
  const checkReply = (
    { status, text, headers: replyHeaders }: Answer,
    method: Method,
    path: string,
    content: unknown,
  ) => {
    const deviations = conformance.deviations({ method, path: BASE_PATH + path, requestBody: content, status, text });
    if (deviations.length > 0) throw new Error(`Not as the API reference says:\n${deviations.join('\n')}`);
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    return { status, headers: replyHeaders as Readonly<Record<string, string>>, text, body };
  };
  return {
    appId,
    token,
    keyed: (key) => withHeaders({ 'Idempotency-Key': key }),
    with: withHeaders,
    get: (path) => call('get', path),
    post: (path, body) => call('post', path, body),
    put: (path, body) => call('put', path, body),
    patch: (path, body) => call('patch', path, body),
    delete: (path, body) => call('delete', path, body),
    upload,
  };
}
