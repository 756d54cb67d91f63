import { Turns } from '@back-office/kernel';
import express, { type NextFunction, type Request, type Response } from 'express';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { jsonBodyHandlers } from './json-body.js';
import { LargeCalls } from './large-calls.js';
import { MAX_STARTS } from './start-in-turn.js';

describe('a call whose client leaves before its body is read', () => {
  it('is refused, also where the body is optional', async () => {
    const app = express();
    const route = { bodyOptional: true } as never;
    const turns = { starts: new Turns<number | string>(MAX_STARTS), largeCalls: new LargeCalls() };
    const outcome = new Promise<unknown>((resolve) => {
      app.post(
        '/',
        // Stands for the look-up of the token, which takes time.
        async (_request, response, next) => {
          await once(response, 'close');
          next();
        },
        ...jsonBodyHandlers(route, { maxBytes: 1_000, timeoutMs: 1_000 }, turns),
        (request) => resolve({ body: request.body as unknown }),
      );
      app.use((error: { status?: number }, _request: Request, _response: Response, _next: NextFunction) =>
        resolve(error.status),
      );
    });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const body = '{"reason":"late"}';
    const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    socket.write(`${head}\r\n${body}`, () => socket.resetAndDestroy());
    const result = await outcome;
    server.close();
    expect(result).toBe(400);
  });
});
