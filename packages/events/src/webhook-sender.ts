import type { WebhookAnswer } from './webhook-rules.js';

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebhookSender {
  /**
   * Sends one POST without following redirects; never rejects. Refuses a private or link-local address, even one that a
   * name resolves to, unless the operator allows its network.
   */
  send(request: WebhookRequest): Promise<WebhookAnswer>;
  /** Returns true when the URL is allowed, without resolving its name. */
  accepts(url: string): boolean;
}
