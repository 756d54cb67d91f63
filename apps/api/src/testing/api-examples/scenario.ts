import type { Client, TestApi } from '../test-api.js';
import type { WebhookReceiver } from '../webhook-receiver.js';
import type { Recorder } from './recorder.js';

/** A T-shirt shop and the real service that it uses. */
export interface Scenario {
  readonly api: TestApi;
  readonly shop: Client;
  readonly examples: Recorder;
  readonly receiver: WebhookReceiver;
  /** Sets the status with which the payment service answers refunds. */
  answerRefundsWith(status: number): void;
}
