import { decimalsOf, fromMinor } from '@back-office/kernel';
import type { RefundGateway, RefundRequest } from '@back-office/proforma';

const PATIENCE_MS = 10_000;
/** Answers that say nothing about the refund itself: asked again under the same key, they may say more. */
const ASK_AGAIN = new Set([408, 409, 425, 429]);

type Outcome = 'refunded' | 'failed' | 'unknown';

/**
 * Asks the payment service of the installation over HTTP: one `POST` per refund, always under the same key, under which
 * that service pays at most once. Any 2xx in time is a success. Other 4xx than those that ask for patience are final.
 */
export class HttpRefundGateway implements RefundGateway {
  constructor(
    private readonly url: string,
    private readonly token: string | undefined,
    private readonly patienceMs: number = PATIENCE_MS,
  ) {}

  async refund(request: RefundRequest): Promise<Outcome> {
    try {
      const response = await fetch(this.url, {
        method: 'POST',
        redirect: 'manual',
        signal: AbortSignal.timeout(this.patienceMs),
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json',
          'Idempotency-Key': request.idempotencyKey,
          ...(this.token !== undefined && { Authorization: `Bearer ${this.token}` }),
        },
        body: JSON.stringify(bodyOf(request)),
      });
      await response.body?.cancel();
      return outcomeOf(response.status);
    } catch {
      // Refused, reset, timed out, cut off: it may have happened.
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

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'refunded';
  return status >= 400 && status < 500 && !ASK_AGAIN.has(status) ? 'failed' : 'unknown';
}
