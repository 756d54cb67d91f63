import type { WebhookAnswer } from './webhook-rules.js';

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebhookSender {
  /**
   * Sends one POST without following redirects and never rejects. Every private or link-local target is refused, also
   * one that a name resolves to, unless the operator allows its network.
   */
  send(request: WebhookRequest): Promise<WebhookAnswer>;
  /** Returns whether the URL may be used, before its name is resolved. */
  accepts(url: string): boolean;
}
