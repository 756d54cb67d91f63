import type { RefundAnswer, RefundGateway, RefundRequest } from '@back-office/proforma';
import { missingMethods, openModule, type AdapterKind } from '../adapters/index.js';
import type { Config } from '../config.js';
import { ByHandRefundGateway } from './by-hand-refund-gateway.js';
import { HttpRefundGateway } from './http-refund-gateway.js';

export interface OpenedRefundGateway extends RefundGateway {
  close?(): void | Promise<void>;
}

const REFUNDS_ADAPTER: AdapterKind<OpenedRefundGateway> = {
  variable: 'REFUNDS',
  exportName: 'openRefundGateway',
  problemWith: (adapter) => missingMethods('refund gateway', adapter, ['refund'] satisfies (keyof RefundGateway)[]),
};

export type UnansweredRefundReporter = (refund: UnansweredRefund, error: unknown) => void;

export interface UnansweredRefund {
  readonly gateway: string;
  readonly idempotency_key: string;
}

export async function openRefundGateway(
  config: Config,
  report: UnansweredRefundReporter,
): Promise<OpenedRefundGateway> {
  const { refunds, refundToken, environment } = config;
  if (refunds.kind === 'by-hand') return new ByHandRefundGateway();
  if (refunds.kind === 'http') return new HttpRefundGateway(refunds.url, refundToken);
  return new ForeignRefundGateway(
    refunds.module,
    await openModule(REFUNDS_ADAPTER, refunds.module, environment),
    report,
  );
}

const TIMEOUT_MS = 10_000;
const ANSWERS: readonly unknown[] = ['refunded', 'failed', 'unknown'] satisfies RefundAnswer[];

/**
 * Checks the answers of a module. An error, a late answer and an invalid answer become `unknown`, so the refund is
 * retried.
 */
export class ForeignRefundGateway implements OpenedRefundGateway {
  constructor(
    private readonly name: string,
    private readonly gateway: OpenedRefundGateway,
    private readonly report: UnansweredRefundReporter,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  async refund(request: RefundRequest): Promise<RefundAnswer> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${this.timeoutMs} ms`)), this.timeoutMs);
    });
    try {
      const answer: unknown = await Promise.race([this.gateway.refund(request), timeout]);
      if (!ANSWERS.includes(answer)) throw new Error(`an invalid answer: ${String(answer)}`);
      return answer as RefundAnswer;
    } catch (error) {
      this.report({ gateway: this.name, idempotency_key: request.idempotencyKey }, error);
      return 'unknown';
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.gateway.close?.();
  }
}
