import type { Clock } from '@back-office/kernel';
import { REFUND_NOT_OWED, REFUND_PENDING, type Proforma } from '@back-office/proforma';
import { answerWith, ok } from '../http/answer.js';
import type { AppContext } from '@back-office/apps';
import { IsOptional, MaxLength, Type, ValidateNested } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { presentProforma } from './proforma-presenter.js';
import type { ProformaActions } from './proforma-actions.js';
import { OneProformaShape, PROFORMA_GUARD } from './proforma-shapes.js';

class RefundFields {
  @IsOptional() @MaxLength(255) reference?: string | null;
}

class RecordRefund {
  @IsOptional() @ValidateNested() @Type(() => RefundFields) refund?: RefundFields | null;
}

/** Routes for refunds, which are allowed in every status of the proforma. */
export function proformaRefundRoutes(actions: ProformaActions, clock: Clock): Route[] {
  const present = (app: AppContext) => (proforma: Proforma) => ok(presentProforma(app, proforma, clock.now()));
  const exists = (app: AppContext, id: number, ids: Readonly<Record<string, number>>): Promise<boolean> =>
    actions.hasRefund(app, id, ids['refund_id'] ?? 0);
  return [
    route({
      method: 'post',
      path: '/proforma_orders/:id/refunds/:refund_id/record',
      guard: PROFORMA_GUARD,
      caller: 'app',
      scope: ['refunds:write', 'proformas:write'],
      extension: true,
      summary: 'Records that a person has paid out a refund that failed; a refunded one stays unchanged',
      body: RecordRefund,
      bodyOptional: true,
      answers: { 200: OneProformaShape },
      refusals: [REFUND_PENDING.refused],
      precheck: exists,
      handle: async ({ app, id, ids, body }) => {
        const refund = { refundId: ids['refund_id'] ?? 0, reference: body.refund?.reference ?? null };
        return answerWith(await actions.recordRefund(app, id, refund), present(app));
      },
    }),
    route({
      method: 'post',
      path: '/proforma_orders/:id/refunds/:refund_id/retry',
      guard: PROFORMA_GUARD,
      caller: 'app',
      scope: ['refunds:write', 'proformas:write'],
      extension: true,
      summary: 'Retries a refund that failed, with at most what is overpaid now; any other refund stays unchanged',
      answers: { 200: OneProformaShape },
      refusals: [REFUND_NOT_OWED.refused],
      precheck: exists,
      handle: async ({ app, id, ids }) =>
        answerWith(await actions.retryRefund(app, id, ids['refund_id'] ?? 0), present(app)),
    }),
  ];
}
