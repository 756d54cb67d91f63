import { TIMEOUTS } from '@back-office/database-postgres';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { createHttpServer, EDGE_TIMEOUTS, listen } from './server.js';

describe('the timeouts of a request', () => {
  it('leave enough time for a bulk write', () => {
    expect(TIMEOUTS.transaction + TIMEOUTS.bulkStatement).toBeLessThan(EDGE_TIMEOUTS.request);
    expect([EDGE_TIMEOUTS.head, EDGE_TIMEOUTS.jsonBody, EDGE_TIMEOUTS.request]).toEqual([10_000, 30_000, 120_000]);
  });
});

describe('a connection that closes before its pipelined requests are answered', () => {
  let stop: () => Promise<void>;
  afterEach(() => stop());

  it('closes each of their responses once', async () => {
    const responses: ServerResponse[] = [];
    const closedPaths: (string | undefined)[] = [];
    const listener = (_request: unknown, response: ServerResponse): void => {
      responses.push(response);
      response.on('close', () => closedPaths.push(response.req.url));
    };
    const { server, drain } = createHttpServer(listener);
    stop = drain;
    const socket = connect(await listen(server, { port: 0, host: '127.0.0.1' }), '127.0.0.1');
    const head = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    socket.write(head('/first') + head('/second') + head('/third'));
    while (responses.length < 3) await once(server, 'request');
    socket.resetAndDestroy();
    await Promise.all(responses.map((response) => once(response, 'close')));
    expect(closedPaths).toEqual(['/first', '/second', '/third']);
    expect(responses.map((response) => response.closed)).toEqual([true, true, true]);
  });
});

describe('a response', () => {
  it('lets log, limits, turns and streams wait for its end without a warning of Node', async () => {
    let maxListeners = 0;
    const { server, drain } = createHttpServer((_request, response) => {
      maxListeners = response.getMaxListeners();
      response.end();
    });
    const port = await listen(server, { port: 0, host: '127.0.0.1' });
    await (await fetch(`http://127.0.0.1:${port}/`)).text();
    await drain();
    expect(maxListeners).toBeGreaterThan(20);
  });
});
