import type { Clock } from '@back-office/kernel';
import { REFUND_PENDING, type Proforma } from '@back-office/proforma';
import { answered, ok } from '../http/answer.js';
import type { AppContext } from '../http/app-context.js';
import { Nested, Text } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { presentProforma } from './proforma.js';
import type { ProformaActions } from './proforma-actions.js';
import { OneProforma } from './proforma-shapes.js';

const optional = true;

class RefundFields {
  @Text({ optional }) reference?: string | null;
}

class RecordRefund {
  @Nested(() => RefundFields, { optional }) refund?: RefundFields | null;
}

/** What a person does about a refund that failed; in every status of the proforma. */
export function proformaRefundRoutes(actions: ProformaActions, clock: Clock): Route[] {
  const shown = (app: AppContext) => (proforma: Proforma) => ok(presentProforma(app, proforma, clock.now()));
  const exists = (app: AppContext, id: number, ids: Readonly<Record<string, number>>): Promise<boolean> =>
    actions.hasRefund(app, id, ids['refund_id'] ?? 0);
  return [
    route({
      method: 'post',
      path: '/proforma_orders/:id/refunds/:refund_id/record',
      caller: 'app',
      extension: true,
      summary: 'Records that a person has paid out a refund that failed; one that is refunded stays as it is',
      body: RecordRefund,
      bodyOptional: true,
      answers: { 200: OneProforma },
      refusals: [REFUND_PENDING.refused],
      record: exists,
      handle: async ({ app, id, ids, body }) => {
        const refund = { refundId: ids['refund_id'] ?? 0, reference: body.refund?.reference ?? null };
        return answered(await actions.recordRefund(app, id, refund), shown(app));
      },
    }),
    route({
      method: 'post',
      path: '/proforma_orders/:id/refunds/:refund_id/retry',
      caller: 'app',
      extension: true,
      summary: 'Asks again for a refund that failed; any other refund stays as it is',
      answers: { 200: OneProforma },
      record: exists,
      handle: async ({ app, id, ids }) =>
        answered(await actions.retryRefund(app, id, ids['refund_id'] ?? 0), shown(app)),
    }),
  ];
}
