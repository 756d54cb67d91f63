import type { Client, TestApi } from '../test-api.js';
import type { WebhookReceiver } from '../webhook-receiver.js';
import type { Recorder } from './recorder.js';

/** A T-shirt shop on a real service. */
export interface Scenario {
  readonly api: TestApi;
  readonly shop: Client;
  readonly examples: Recorder;
  readonly receiver: WebhookReceiver;
  /** Status that the payment service answers to refunds. */
  answerRefundsWith(status: number): void;
}
