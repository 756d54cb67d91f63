import express from 'express';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createExpressMessages } from './express-messages.js';

type Prototypes = readonly [object, object];

const prototypesOf = (request: IncomingMessage, response: ServerResponse): Prototypes => [
  Object.getPrototypeOf(request) as object,
  Object.getPrototypeOf(response) as object,
];

async function answerOf(
  listener: RequestListener,
  messages: ReturnType<typeof createExpressMessages>,
): Promise<[number, string]> {
  const server = createServer(messages, listener).listen(0);
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/sum?a=2`);
    return [answer.status, await answer.text()];
  } finally {
    server.close();
  }
}

describe('messages of Express', () => {
  const app = express();
  app.get('/sum', (request, response) => {
    response.status(202).send(`${request.query['a'] as string} ${request.path} ${String(request.app === app)}`);
  });

  it('have the prototypes that Express would set', async () => {
    const messages = createExpressMessages(app);
    const seenPrototypes: Record<'before' | 'after', Prototypes[]> = { before: [], after: [] };
    const listener: RequestListener = (request, response) => {
      seenPrototypes.before.push(prototypesOf(request, response));
      app(request, response);
      seenPrototypes.after.push(prototypesOf(request, response));
    };
    expect(await answerOf(listener, messages)).toEqual([202, '2 /sum true']);
    expect(seenPrototypes.before).toHaveLength(1);
    const [prototypesBefore, prototypesAfter] = [seenPrototypes.before[0] ?? [], seenPrototypes.after[0] ?? []];
    expect(prototypesBefore.map((prototype, index) => prototype === prototypesAfter[index])).toEqual([true, true]);
  });

  it('have other prototypes on a plain server', async () => {
    const isUnchanged: boolean[] = [];
    const listener: RequestListener = (request, response) => {
      const prototypesBefore = prototypesOf(request, response);
      app(request, response);
      isUnchanged.push(
        ...prototypesOf(request, response).map((prototype, index) => prototype === prototypesBefore[index]),
      );
    };
    expect(await answerOf(listener, {})).toEqual([202, '2 /sum true']);
    expect(isUnchanged).toEqual([false, false]);
  });
});
