import { makeTestDatabase, type TestDatabase } from '@back-office/database-postgres/testing';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startServer, type ServerProcess } from '../../apps/api/src/testing/server-process.js';
import { useWholeBody } from '../../apps/api/src/testing/whole-body.js';

/** The packages of OpenTelemetry are installed here, as an operator installs them beside the service. */
const TOOLS = fileURLToPath(new URL('../', import.meta.url));
const PAGE = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
const [COMMAND = ''] = /^NODE_OPTIONS=.*?(?=\n```)/ms.exec(PAGE) ?? [];
const VARIABLES = Object.fromEntries(
  [...COMMAND.matchAll(/^(\w+)=(?:'(.*)'|(\S+))/gm)].map(([, name, quoted, value]) => [name, quoted ?? value]),
) as Record<string, string>;

const CALLER_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER_SPAN = '00f067aa0ba902b7';
const SERVER_KIND = 2;

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
}

interface Traces {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

const spans: Span[] = [];
let database: TestDatabase;
let dataDir: string;
let collector: Server;
let server: ServerProcess;

beforeAll(async () => {
  collector = createServer((request, response) =>
    useWholeBody(request, (bytes) => {
      const { resourceSpans = [] } = JSON.parse(bytes.toString()) as Partial<Traces>;
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    }),
  );
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  database = await makeTestDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'back-office-telemetry-'));
  const environment = {
    ...VARIABLES,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  server = await startServer({ ...environment, DATABASE_URL: database.url, DATA_DIR: dataDir, DEMO: 'true' }, TOOLS);
}, 120_000);
afterAll(async () => {
  await server.stop();
  collector.closeAllConnections();
  collector.close();
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
}, 60_000);

async function waitFor<Item>(read: () => readonly Item[], matches: (item: Item) => boolean): Promise<Item> {
  for (const endMs = Date.now() + 20_000; Date.now() < endMs; await pause(50)) {
    const found = read().find(matches);
    if (found !== undefined) return found;
  }
  throw new Error(`not found, only ${JSON.stringify(read())}`);
}

const findSpan = (matches: (span: Span) => boolean): Promise<Span> => waitFor(() => spans, matches);

it('exports the span of a call with its statements below, and logs the id of its trace', async () => {
  const [, token] = /^ {2}(bo_app_\S+)$/m.exec(server.output()) ?? [];
  const headers = { Authorization: `Bearer ${token}`, traceparent: `00-${CALLER_TRACE}-${CALLER_SPAN}-01` };
  expect((await fetch(`${server.origin}/api/v2/proforma_orders/999999`, { headers })).status).toBe(404);

  const call = await findSpan(({ traceId, kind }) => traceId === CALLER_TRACE && kind === SERVER_KIND);
  expect(call).toMatchObject({ name: 'GET /api/v2/proforma_orders/:id', parentSpanId: CALLER_SPAN });
  const statement = await findSpan(({ traceId, name }) => traceId === CALLER_TRACE && name.startsWith('pg.query'));
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const ancestors: string[] = [];
  for (let at = statement.parentSpanId; at !== undefined; at = byId.get(at)?.parentSpanId) ancestors.push(at);
  expect(ancestors).toContain(call.spanId);

  const readLines = (): string[] => server.output().split('\n');
  const line = await waitFor(readLines, (text) => text.includes(`"trace_id":"${CALLER_TRACE}"`));
  expect(JSON.parse(line)).toMatchObject({ msg: 'request', route: '/proforma_orders/:id' });
}, 60_000);
