import type { RefundGateway } from '@back-office/proforma';

/** Reports each refund as refunded immediately, because a person pays it out by hand. */
export class ByHandRefundGateway implements RefundGateway {
  refund(): Promise<'refunded'> {
    return Promise.resolve('refunded');
  }
}
