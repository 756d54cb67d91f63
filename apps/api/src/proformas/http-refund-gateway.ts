import { decimalsOf, fromMinor, toMinor } from '@back-office/kernel';
import type { RefundGateway, RefundRequest } from '@back-office/proforma';

const PATIENCE_MS = 10_000;
const LARGEST_ANSWER = 64 * 1024;
/** Answers that say nothing about the refund itself: asked again under the same key, they may say more. */
const ASK_AGAIN = new Set([408, 409, 425, 429]);

type Outcome = 'refunded' | 'failed' | 'unknown';

/**
 * Asks the payment service of the installation over HTTP: one `POST` per refund, always with the same
 * `Idempotency-Key`, under which that service pays at most once. 2xx with `{"status": "refunded"}` or no body has
 * happened, `{"status": "failed"}` and 4xx never will; anything else is unknown. What the answer echoes of amount and
 * currency must be what was asked.
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
      const text = await readAtMost(response, LARGEST_ANSWER);
      return outcomeOf(response.status, text, request);
    } catch {
      // Refused, reset, timed out, cut off: it may have happened.
      return 'unknown';
    }
  }
}

function bodyOf(request: RefundRequest): object {
  return {
    refund_id: request.refundId,
    app_id: request.appId,
    proforma_order_id: request.proformaId,
    proforma_number: request.proformaNumber,
    payment_id: request.paymentId,
    payment_method: request.paymentMethod,
    reference: request.reference,
    amount: fromMinor(request.amount, decimalsOf(request.currency)),
    currency: request.currency,
  };
}

function outcomeOf(status: number, text: string, request: RefundRequest): Outcome {
  if (status >= 200 && status < 300) return status === 202 ? 'unknown' : wordOf(text, request);
  return status >= 400 && status < 500 && !ASK_AGAIN.has(status) ? 'failed' : 'unknown';
}

function wordOf(text: string, request: RefundRequest): Outcome {
  if (text.trim() === '') return 'refunded';
  const answer = JSON.parse(text) as { status?: unknown; amount?: unknown; currency?: unknown } | null;
  if (answer?.status === 'failed') return 'failed';
  if (answer?.status !== 'refunded') return 'unknown';
  const { amount = fromMinor(request.amount, decimalsOf(request.currency)), currency = request.currency } = answer;
  const isWhatWasAsked =
    currency === request.currency && toMinor(Number(amount), decimalsOf(request.currency)) === request.amount;
  return isWhatWasAsked ? 'refunded' : 'unknown';
}

async function readAtMost(response: Response, most: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > most) throw new Error('The answer is too long');
  }
  return text;
}
