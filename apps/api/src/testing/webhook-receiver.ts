import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useWholeBody } from './whole-body.js';

export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  // eslint-disable-next-line typescript/no-explicit-any
  readonly event: any;
}

export interface ReceiverAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A server that stores all received webhooks. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: ReceivedWebhook[];
  /** Returns the answer to a webhook; by default 204. */
  answer: (webhook: ReceivedWebhook) => ReceiverAnswer | Promise<ReceiverAnswer>;
  close(): Promise<void>;
}

export async function openWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    useWholeBody(request, async (bytes) => {
      const body = String(bytes);
      const webhook = { headers: request.headers, body, event: JSON.parse(body) as unknown };
      received.push(webhook);
      const { status, headers = {}, body: answerBody = '' } = await receiver.answer(webhook);
      response.writeHead(status, headers).end(answerBody);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: () => ({ status: 204 }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
