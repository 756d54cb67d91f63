import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { FLOOR_STATEMENTS } from './floor-statements.query.js';

// The service sets these options too. Without them, the floor would scan whole tables to find a few rows.
const PLANNER_OPTIONS = '-c random_page_cost=1.1 -c enable_seqscan=off -c jit=off -c max_parallel_workers_per_gather=0';

// As in the service, idle connections stay open while other systems are measured.
const IDLE_CONNECTION_MS = 300_000;

/**
 * The floor shows the minimum work of a call: HTTP, the driver and one statement. `POST /<name>` runs the statement with
 * the values of the body. It runs in a separate process.
 */
process.once('message', ({ url, poolSize: max }: { readonly url: string; readonly poolSize: number }) => {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    options: PLANNER_OPTIONS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
  });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const name = (request.url ?? '').slice(1);
    const values = JSON.parse(await text(request)) as unknown[];
    const [row] = (await pool.query<Record<string, unknown>>({ name, text: FLOOR_STATEMENTS[name] ?? '', values }))
      .rows;
    const body = row && 'data' in row ? `{"data":${String(row['data'])}}` : JSON.stringify({ data: row });
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(body));
    response.end(body);
  };
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
});
