import type { RefundGateway } from '@back-office/proforma';

/** A person pays these refunds out, so each is recorded as refunded immediately. */
export class ByHandRefundGateway implements RefundGateway {
  refund(): Promise<'refunded'> {
    return Promise.resolve('refunded');
  }
}
