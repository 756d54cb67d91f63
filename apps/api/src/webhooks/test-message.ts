import type { WebhookAnswer, WebhookEndpoint, WebhookSender } from '@back-office/events';
import { formatDateTime, type Clock } from '@back-office/kernel';
import { randomUUID } from 'node:crypto';
import type { WebhookMessages } from './webhook-messages.js';

/** A test event is not in the feed, so it has no position. */
const NO_SEQUENCE = '0'.repeat(16);

/** Sends an event without a record, so that an app can test its receiver. */
export class TestMessage {
  constructor(
    private readonly messages: WebhookMessages,
    private readonly sender: WebhookSender,
    private readonly clock: Clock,
  ) {}

  async send(
    appId: number,
    endpoint: WebhookEndpoint,
  ): Promise<{ readonly answer: WebhookAnswer; readonly latencyMs: number }> {
    const id = randomUUID();
    const body = JSON.stringify({
      specversion: '1.0',
      id,
      source: `/apps/${appId}`,
      type: 'webhook.test',
      time: `${formatDateTime(this.clock.now())}Z`,
      subject: `webhook_endpoints/${endpoint.id}`,
      sequence: NO_SEQUENCE,
      datacontenttype: 'application/json',
      data: { id: endpoint.id },
    });
    const startMs = performance.now();
    const answer = await this.sender.send(this.messages.requestOf(endpoint, `msg_test_${id}`, body));
    return { answer, latencyMs: Math.round(performance.now() - startMs) };
  }
}
