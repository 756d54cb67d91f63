import type { RefundGateway, RefundRequest } from '@back-office/proforma';
import { lacking, messageOf, openModule, type Side } from '../adapters/index.js';
import type { Config } from '../config.js';
import { ByHandRefundGateway } from './by-hand-refund-gateway.js';
import { HttpRefundGateway } from './http-refund-gateway.js';

/** What a module named by `REFUNDS` opens. */
export interface OpenedRefundGateway extends RefundGateway {
  /** Called, and waited for, when the process ends. */
  close?(): void | Promise<void>;
}

const REFUNDS: Side<OpenedRefundGateway> = {
  variable: 'REFUNDS',
  open: 'openRefundGateway',
  wrongWith: (answer) => lacking('refund gateway', answer, ['refund'] satisfies (keyof RefundGateway)[]),
};

/** The gateway that the installation has chosen. */
export async function openRefundGateway(config: Config): Promise<OpenedRefundGateway> {
  const { refunds, refundToken, environment } = config;
  if (refunds.kind === 'by-hand') return new ByHandRefundGateway();
  if (refunds.kind === 'http') return new HttpRefundGateway(refunds.url, refundToken);
  return new ForeignRefundGateway(refunds.module, await openModule(REFUNDS, refunds.module, environment));
}

const TIMEOUT_MS = 10_000;
const OUTCOMES: readonly unknown[] = ['refunded', 'failed', 'unknown'] satisfies RefundAnswer[];

type RefundAnswer = Awaited<ReturnType<RefundGateway['refund']>>;

/** Holds a module to its contract: what it throws, answers too late or does not know is `unknown`, and asked again. */
export class ForeignRefundGateway implements OpenedRefundGateway {
  constructor(
    private readonly name: string,
    private readonly gateway: OpenedRefundGateway,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  async refund(request: RefundRequest): Promise<RefundAnswer> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${this.timeoutMs} ms`)), this.timeoutMs);
    });
    try {
      const answer: unknown = await Promise.race([this.gateway.refund(request), late]);
      if (!OUTCOMES.includes(answer)) throw new Error(`an answer that is no outcome: ${String(answer)}`);
      return answer as RefundAnswer;
    } catch (error) {
      process.emitWarning(`${this.name}, ${request.idempotencyKey}: ${messageOf(error)}`, 'RefundGateway');
      return 'unknown';
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.gateway.close?.();
  }
}
