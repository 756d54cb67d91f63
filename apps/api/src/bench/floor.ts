import express from 'express';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';

/**
 * Settings of a floor server. `GET /<name>` runs a statement with its stored values; `POST /<name>` takes the values
 * from the body.
 */
export interface FloorTask {
  readonly statements: Readonly<Record<string, { readonly text: string; readonly values?: readonly unknown[] }>>;
  readonly url: string;
  readonly poolSize: number;
  readonly kind: 'node' | 'express';
}

// The service sets these options too. Without them, the floors would scan whole tables to find a few rows.
const PLANNER_OPTIONS = '-c random_page_cost=1.1 -c enable_seqscan=off -c jit=off -c max_parallel_workers_per_gather=0';

// As in the service, idle connections stay open while other systems are measured.
const IDLE_CONNECTION_MS = 300_000;

/**
 * A floor server shows the minimum work of a call: HTTP, the driver and the database. It runs in a separate process.
 */
process.once('message', (task: FloorTask) => {
  const { url: connectionString, poolSize: max } = task;
  const pool = new pg.Pool({
    connectionString,
    max,
    options: PLANNER_OPTIONS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
  });
  const answer = async (name: string, values: readonly unknown[] | undefined): Promise<string> => {
    const statement = task.statements[name];
    const query = { name, text: statement?.text ?? '', values: [...(values ?? statement?.values ?? [])] };
    const [row] = (await pool.query<Record<string, unknown>>(query)).rows;
    return row && 'data' in row ? `{"data":${String(row['data'])}}` : JSON.stringify({ data: row });
  };
  const send = (response: ServerResponse, body: string): void => {
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(body));
    response.end(body);
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const values = request.method === 'POST' ? (JSON.parse(await text(request)) as unknown[]) : undefined;
    send(response, await answer((request.url ?? '').slice(1), values));
  };
  const app = express().disable('etag').disable('x-powered-by');
  app.get('/:name', async (request, response) => send(response, await answer(request.params.name, undefined)));
  app.post('/:name', express.json({ limit: '50mb' }), async (request, response) =>
    send(response, await answer(request.params['name'] ?? '', request.body as unknown[])),
  );
  const server = createServer(task.kind === 'express' ? app : (request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
});
