import { decimalsOf, fromMinor } from '@back-office/kernel';
import type { RefundAnswer, RefundGateway, RefundRequest } from '@back-office/proforma';

const DEFAULT_TIMEOUT_MS = 10_000;
const RETRYABLE_STATUSES = new Set([408, 409, 425, 429]);

/**
 * Sends each refund as a `POST` to the payment service of the installation. All attempts have the same idempotency key,
 * so the payment service pays at most once. A 2xx is a success; a 4xx is final unless it is retryable.
 */
export class HttpRefundGateway implements RefundGateway {
  constructor(
    private readonly url: string,
    private readonly token: string | undefined,
    private readonly timeoutMs: number = DEFAULT_TIMEOUT_MS,
  ) {}

  async refund(request: RefundRequest): Promise<RefundAnswer> {
    try {
      const response = await fetch(this.url, {
        method: 'POST',
        redirect: 'manual',
        signal: AbortSignal.timeout(this.timeoutMs),
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json',
          'Idempotency-Key': request.idempotencyKey,
          ...(this.token !== undefined && { Authorization: `Bearer ${this.token}` }),
        },
        body: JSON.stringify(bodyOf(request)),
      });
      await response.body?.cancel();
      return answerOf(response.status);
    } catch {
      // The payment service may have paid before the connection failed.
      return 'unknown';
    }
  }
}

function bodyOf(request: RefundRequest): object {
  return {
    idempotency_key: request.idempotencyKey,
    app_id: request.appId,
    proforma_id: request.proformaId,
    payment_id: request.paymentId,
    amount: fromMinor(request.amount, decimalsOf(request.currency)),
    currency: request.currency,
    refund_id: request.refundId,
    proforma_number: request.proformaNumber,
    payment_method: request.paymentMethod,
    reference: request.reference,
  };
}

function answerOf(status: number): RefundAnswer {
  if (status >= 200 && status < 300) return 'refunded';
  return status >= 400 && status < 500 && !RETRYABLE_STATUSES.has(status) ? 'failed' : 'unknown';
}
