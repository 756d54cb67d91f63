import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import supertest from 'supertest';
import { containerOf } from '../container.js';
import { readConfig } from '../config.js';
import { CustomerEntity } from '../customers/index.js';
import { Database } from '../database/database.js';
import { dataSourceFor, jobPool } from '../database/data-source.js';
import { openRefundGateway } from '../proformas/index.js';
import { libraryToolsOf, MediaWorker } from '../media/index.js';
import { BASE_PATH } from '../http/base-path.js';
import { openApiDocument } from '../http/openapi.js';
import { PATIENCE, type Patience } from '../http/server.js';
import { startApi, VERSION } from '../runtime/api.js';
import { loggerOf } from '../runtime/logger.js';
import { TOKENS } from '../tokens.js';
import type { Container } from 'inversify';
import { Conformance } from './conformance.js';
import { MovableClock } from './movable-clock.js';
import { SentStatements } from './sent-statements.js';
import { testDatabase } from './test-database.js';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed body; tests read it as they know it to be. */
  // eslint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Calls of one app. Every answer is held against the API reference. */
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
  /** Where everything is that is kept in files, what is being received included. */
  readonly dataDir: string;
  readonly clock: MovableClock;
  /** For what the tests themselves ask and write, on connections of their own. */
  readonly database: Database;
  readonly container: Container;
  /** The texts of all statements of the service so far, but for what TypeORM asks by itself. */
  readonly statements: string[];
  /** What has gone wrong in the background so far. */
  readonly jobFailures: unknown[];
  /** Does the jobs that wait in the background. */
  work(): Promise<void>;
  /** A new app and its calls. */
  app(currency?: string): Promise<Client>;
  /** The calls of an app, sent to other servers in turn. */
  through(client: Client, origins: readonly string[]): Client;
  /** Throws when a statement of the service has been such that it may touch records of more than one app. */
  close(): Promise<void>;
}

const CONNECTIONS_OF_TESTS = 4;

let known: Conformance | undefined;

/** Every service of the process has the same routes, and their schemas take a while to compile. */
function conformanceOf(container: Container): Conformance {
  return (known ??= new Conformance(openApiDocument(container.get(TOKENS.Routes), VERSION)));
}

/** The whole service on a real port and a database of its own; only the clock and the log are not the real ones. */
export async function testApi(
  environment: Readonly<Record<string, string>> = {},
  patience: Partial<Patience> = {},
): Promise<TestApi> {
  const ownDir = await mkdtemp(join(tmpdir(), 'back-office-'));
  const config = readConfig({ LOG_LEVEL: 'silent', DATA_DIR: ownDir, ...environment });
  // Before the database: what a bad configuration ends must leave nothing open.
  const media = await libraryToolsOf(config);
  const refunds = await openRefundGateway(config);
  const own = await testDatabase();
  // What a test writes need not survive a crash of the database server.
  const connection = { url: `${own.url}${own.url.includes('?') ? '&' : '?'}options=-c%20synchronous_commit%3Doff` };
  const sent = new SentStatements();
  const source = dataSourceFor(connection, config.databasePoolSize, [CustomerEntity]);
  await source.setOptions({ logger: sent.logger }).initialize();
  const statements: string[] = [];
  const database = new Database(source, (text) => {
    statements.push(text);
    sent.note(text);
  });
  const inspection = new Database(await dataSourceFor(connection, CONNECTIONS_OF_TESTS).initialize());
  const clock = new MovableClock();
  const container = containerOf(database, { refunds, media }, clock);
  const onAnyPort = { ...config, port: 0 };
  const api = await startApi({ container, database }, onAnyPort, loggerOf(config), { ...PATIENCE, ...patience });
  const pool = jobPool(connection, 2);
  const jobFailures: unknown[] = [];
  const worker = new MediaWorker(pool, container.get(TOKENS.Library).tasks, (error) => jobFailures.push(error));
  const origin = `http://127.0.0.1:${api.port}`;
  const connections = new Agent({ keepAlive: true });
  const calls: Calls = { connections, conformance: conformanceOf(container), headers: {} };
  return {
    origin,
    url: own.url,
    dataDir: config.dataDir,
    clock,
    database: inspection,
    container,
    statements,
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
      const judged = sent.assertOneApp(inspection);
      await judged.catch(() => {});
      await pool.end();
      await Promise.all([media.close(), refunds.close?.()]);
      await Promise.all([source.destroy(), inspection.source.destroy()]);
      await own.drop();
      await rm(ownDir, { recursive: true, force: true });
      await judged;
    },
  };
}

interface Calls {
  /** A new connection costs as much as a small call. */
  readonly connections: Agent;
  readonly conformance: Conformance;
  readonly headers: Readonly<Record<string, string>>;
}

function clientOf(origin: () => string, appId: number, token: string, calls: Calls): Client {
  const { connections, conformance, headers } = calls;
  const call = async (method: Method, path: string, sent?: unknown): Promise<Reply> => {
    const server = supertest(origin());
    const request = server[method](BASE_PATH + path).agent(connections);
    void request.set({ Authorization: `Bearer ${token}`, ...headers });
    const reply = sent === undefined ? await request : await request.send(sent as object);
    return checked(reply, method, path, sent);
  };
  const upload: Client['upload'] = async (path, file, fields = {}) => {
    const request = supertest(origin())
      .post(BASE_PATH + path)
      .agent(connections)
      .set({ Authorization: `Bearer ${token}`, ...headers });
    for (const [name, values] of Object.entries(fields)) {
      for (const value of [values].flat()) request.field(name, value as string);
    }
    const { name: filename = '', bytes, mime = 'application/octet-stream' } = file ?? {};
    if (bytes) request.attach('file', Buffer.from(bytes), { filename, contentType: mime });
    return checked(await request, 'post', path, undefined);
  };
  const checked = ({ status, text, headers: got }: supertest.Response, method: Method, path: string, sent: unknown) => {
    const complaints = conformance.complaints({ method, path: BASE_PATH + path, sent, status, text });
    if (complaints.length > 0) throw new Error(`Not as the API reference says:\n${complaints.join('\n')}`);
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    return { status, headers: got as Readonly<Record<string, string>>, text, body };
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
