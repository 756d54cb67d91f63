import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/** The payment service in `docs/adapters/refunds.md`. Pays once per idempotency key and answers a repeat with 409. */
export async function startFakePsp() {
  const paidRefunds = new Map();
  let behavior = 'pays';
  const server = createServer(async (request, response) => {
    const send = (status, body = {}) => void response.writeHead(status).end(JSON.stringify(body));
    if (behavior === 'is silent') return;
    if (behavior === 'breaks') return send(500);
    if (request.method === 'GET' && ['pays', 'loses the answer'].includes(behavior)) {
      const refund = paidRefunds.get(decodeURIComponent(request.url.slice('/refunds/'.length)));
      return refund ? send(200, { status: 'paid' }) : send(404);
    }
    if (behavior === 'refuses') return send(422);
    const body = request.method === 'POST' && (await json(request));
    const key = request.headers['idempotency-key'];
    if (paidRefunds.has(key)) return send(409);
    if (body) paidRefunds.set(key, body);
    return behavior === 'pays' ? send(201) : request.socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    behave: (newBehavior) => {
      behavior = newBehavior;
    },
    paid: ({ refundId }) =>
      [...paidRefunds.values()]
        .filter(({ metadata }) => metadata.refund === refundId)
        .map(({ amount, currency, payment: reference }) => ({ amount, currency, reference })),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
