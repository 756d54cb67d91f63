import { Turns } from '@back-office/kernel';
import { once } from 'node:events';
import { createServer, get as request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { DatabaseUnavailable, UnknownOutcome } from '@back-office/database';
import { MovableClock } from '../testing/movable-clock.js';
import { LargeCalls } from './large-calls.js';
import { MAX_STARTS } from './start-in-turn.js';
import { okStream } from './answer.js';
import { type AppContext, PLAIN_SPEECH } from '@back-office/apps';
import { createExpressApp } from './express-app.js';
import { route } from './route.js';
import { record } from './shapes.js';

const LARGE = `"${'x'.repeat(1_000_000)}"`;

let server: Server;
let makeChunks: () => AsyncGenerator<string>;
let observedErrors: unknown[];
let generatedChunks: number;

beforeEach(async () => {
  observedErrors = [];
  generatedChunks = 0;
  const app = { ...PLAIN_SPEECH, id: 1 } as unknown as AppContext;
  const holder = {
    tokenId: 1,
    customerId: null,
    kind: 'app',
    scopes: null,
    upload: null,
    lastUsedAt: null,
    insertedAt: new Date(),
    expiresAt: null,
    revokedAt: null,
    app,
  } as const;
  const list = route({
    method: 'get',
    path: '/list',
    caller: 'app',
    scope: 'catalogue:read',
    summary: '',
    answers: { 200: record({}) },
    handle: async () => okStream(makeChunks()),
  });
  const expressApp = createExpressApp({
    routes: [list],
    tokens: { holderOf: async () => holder },
    onAuthenticated: () => {},
    keyedCalls: {} as never,
    calls: {
      runFor: (_party, work) => work(),
      runAs: (_actor, work) => work(),
      track: (work) => work(),
      runIf: (_condition, work) => work(),
    },
    clock: new MovableClock(),
    jsonLimit: 1,
    jsonBodyMs: 1,
    rateLimits: undefined,
    uploads: { directory: '.', maxFileBytes: 1 },
    corsOrigins: [],
    observer: {
      onFinished: () => {},
      onFailed: (error) => observedErrors.push(error),
      onLimit: () => {},
      onRejected: () => {},
    },
    maxCalls: { perApp: 10, perAddress: 10 },
    trustProxy: false,
    starts: new Turns(MAX_STARTS),
    largeCalls: new LargeCalls(),
    mountOutsideBasePath: () => {},
  });
  server = createServer(expressApp).listen(0);
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function call(): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const headers = { Authorization: `Bearer bo_app_${'a'.repeat(43)}` };
  const [response] = await once(request({ port, path: '/api/v2/list', headers }), 'response');
  return response as IncomingMessage;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

describe('a streamed list', () => {
  it.each([
    ['no chunks', [], []],
    ['one chunk', ['1,2'], [1, 2]],
    ['several chunks', ['1', '2,3', '4'], [1, 2, 3, 4]],
    ['empty chunks between others', ['', '1', '', '2', ''], [1, 2]],
    ['only empty chunks', ['', ''], []],
  ])('is one JSON list: %s', async (_, givenChunks, expected) => {
    makeChunks = async function* () {
      yield* givenChunks;
    };
    const response = await call();
    expect(JSON.parse(await textOf(response))).toEqual({ data: expected });
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  });

  it.each([
    ['a bug', new Error('x'), 500, { message: 'Internal server error' }],
    ['a lost COMMIT of a read', new UnknownOutcome('x'), 503, { errors: { detail: 'Service Unavailable' } }],
    ['a busy database', new DatabaseUnavailable('x'), 503, { errors: { detail: 'Service Unavailable' } }],
  ])('becomes an error answer when an error occurs before the first chunk: %s', async (_, error, status, body) => {
    makeChunks = async function* () {
      if (Date.now() > 0) throw error;
      yield '1';
    };
    const response = await call();
    expect([response.statusCode, JSON.parse(await textOf(response))]).toEqual([status, body]);
    expect(observedErrors).toEqual([error]);
  });

  it('closes the connection when an error occurs after the first chunk', async () => {
    const error = new Error('lost');
    makeChunks = async function* () {
      yield '1';
      throw error;
    };
    await expect(call().then(textOf)).rejects.toMatchObject({ code: 'ECONNRESET' });
    // The client may see the reset before the server has reported the error.
    await setTimeout(100);
    expect(observedErrors).toEqual([error]);
  });

  it('waits for a slow reader, and stops when the reader disconnects', async () => {
    makeChunks = async function* () {
      for (;;) {
        generatedChunks += 1;
        yield LARGE;
      }
    };
    const response = await call();
    await setTimeout(200);
    const chunksBeforeReading = generatedChunks;
    expect(chunksBeforeReading).toBeLessThan(50);
    response.destroy();
    await setTimeout(200);
    const chunksAfterDisconnect = generatedChunks;
    await setTimeout(100);
    expect(generatedChunks).toBe(chunksAfterDisconnect);
    expect(observedErrors).toEqual([]);
  });
});
